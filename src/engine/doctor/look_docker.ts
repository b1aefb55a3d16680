/** The doctor's checks of docker: Engine, compose, and the disk that images land on. */

import { shellWords } from "../../core/doctor/place.ts";
import { fail, ok, type Verdict } from "../../core/doctor/verdict.ts";
import { refuseOldCompose, refuseOldEngine } from "../../core/docker_versions.ts";
import { composeVersion } from "../compose_calls.ts";
import type { Lookout } from "./lookout.ts";

/** The Engine. Throws DOCKER_*. */
export async function lookAtDocker({ agent }: Lookout): Promise<Verdict> {
  const { version, apiVersion } = await agent.docker.version();
  const refusal = refuseOldEngine(version);
  if (refusal !== null) throw refusal;
  const { length } = await agent.docker.list(agent.config.composeProject);
  return ok(`Engine ${version}, API ${apiVersion}; containers of the project: ${length}`);
}

/** The compose plugin. Throws COMPOSE_*. */
export async function lookAtCompose({ agent }: Lookout): Promise<Verdict> {
  const version = await composeVersion(agent);
  const refusal = refuseOldCompose(version);
  if (refusal !== null) throw refusal;
  return ok(`compose ${version}`);
}

/** Free space where images are kept. Throws FILE_UNREADABLE. */
export async function lookAtDisk({ agent }: Lookout): Promise<Verdict> {
  const { dataRoot, diskHeadroomBytes } = agent.config.docker;
  const free = await agent.ports.files.freeBytes(dataRoot);
  const seen = `${mib(free)} MiB free on ${dataRoot}; ${mib(diskHeadroomBytes)} MiB must stay free`;
  if (free > diskHeadroomBytes) return ok(seen);
  const fix = `${shellWords("df", "-h", dataRoot)}; docker system df; docker image prune -a`;
  return fail("DISK_INSUFFICIENT", seen, fix);
}

function mib(bytes: number): number {
  return Math.floor(bytes / (1 << 20));
}
