/** Removing what a box left in the Engine, by the project's label alone. */

import { dockerCall, dockerRequest } from "../lab/docker_api.ts";
import type { LabInfo } from "../lab/info.ts";
import { sleep } from "../lab/wait.ts";

/** The Engine may be at work on a container of the project, and refuses to remove it until then. */
const ROUNDS = 20;
const PAUSE_MS = 250;

/**
 * Removes containers, networks and volumes of one compose project; what is gone already is fine, and
 * what somebody else's container uses stays.
 *
 * @param lab the lab whose Engine it is
 * @param project the compose project's name
 * @throws Error when the Engine does not answer
 */
export async function removeProject(lab: LabInfo, project: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    if (await removeOnce(lab.docker.socket, project)) return;
    await sleep(PAUSE_MS);
  }
}

/** Removes what there is; says whether nothing was refused. */
async function removeOnce(socket: string, project: string): Promise<boolean> {
  let isDone = true;
  const remove = async (path: string): Promise<void> => {
    const { status } = await dockerRequest(socket, "DELETE", path);
    isDone &&= status < 300 || status === 404;
  };
  const filters = encodeURIComponent(
    JSON.stringify({ label: [`com.docker.compose.project=${project}`] }),
  );
  const containers = JSON.parse(
    await dockerCall(socket, "GET", `/containers/json?all=1&filters=${filters}`),
  ) as readonly { readonly Id: string }[];
  for (const { Id } of containers) {
    await remove(`/containers/${Id}?force=1&v=1`);
  }
  const networks = JSON.parse(
    await dockerCall(socket, "GET", `/networks?filters=${filters}`),
  ) as readonly { readonly Id: string }[];
  for (const { Id } of networks) await remove(`/networks/${Id}`);
  const volumes = JSON.parse(
    await dockerCall(socket, "GET", `/volumes?filters=${filters}`),
  ) as { readonly Volumes: readonly { readonly Name: string }[] | null };
  for (const { Name } of volumes.Volumes ?? []) {
    await remove(`/volumes/${Name}?force=1`);
  }
  return isDone;
}
