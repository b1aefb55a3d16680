/** Removing what a box left in the Engine, by the project's label alone. */

import { dockerCall, dockerRequest } from "../lab/docker_api.ts";
import type { LabInfo } from "../lab/info.ts";

/**
 * Removes containers, networks and volumes of one compose project; what is gone already is fine.
 *
 * @param lab the lab whose Engine it is
 * @param project the compose project's name
 * @throws Error when the Engine does not answer
 */
export async function removeProject(lab: LabInfo, project: string): Promise<void> {
  const { socket } = lab.docker;
  const filters = encodeURIComponent(
    JSON.stringify({ label: [`com.docker.compose.project=${project}`] }),
  );
  const containers = JSON.parse(
    await dockerCall(socket, "GET", `/containers/json?all=1&filters=${filters}`),
  ) as readonly { readonly Id: string }[];
  for (const { Id } of containers) {
    await dockerRequest(socket, "DELETE", `/containers/${Id}?force=1&v=1`);
  }
  const networks = JSON.parse(
    await dockerCall(socket, "GET", `/networks?filters=${filters}`),
  ) as readonly { readonly Id: string }[];
  for (const { Id } of networks) await dockerRequest(socket, "DELETE", `/networks/${Id}`);
  const volumes = JSON.parse(
    await dockerCall(socket, "GET", `/volumes?filters=${filters}`),
  ) as { readonly Volumes: readonly { readonly Name: string }[] | null };
  for (const { Name } of volumes.Volumes ?? []) {
    await dockerRequest(socket, "DELETE", `/volumes/${Name}?force=1`);
  }
}
