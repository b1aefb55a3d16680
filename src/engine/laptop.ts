/**
 * `laptop_mode` (SPEC §6): a laptop without its mesh is no incident. It is said once, and not again
 * until the box was online in between; a file in the state folder remembers that it was said.
 */

import { isOffline } from "../core/offline.ts";
import type { AgentError } from "../errors.ts";
import type { Agent } from "./agent.ts";

const FILE_MODE = 0o600;

/**
 * Takes how a tick ended; gives the failure that is left of it. Being offline is none in laptop mode.
 * Throws FILE_UNWRITABLE, DISK_FULL.
 */
export async function forgiveOffline(
  agent: Agent,
  error: AgentError | null,
): Promise<AgentError | null> {
  if (!agent.config.laptopMode) return error;
  const { files, log } = agent.ports;
  const path = `${agent.config.stateDir}/offline`;
  const wasSaid = await files.stat(path) !== null;
  if (error === null || !isOffline(error)) {
    if (wasSaid) await files.remove(path);
    if (wasSaid && error === null) log.write("info", "online again", {});
    return error;
  }
  if (!wasSaid) {
    const phase = error.data["phase"];
    log.write("info", "offline, which is normal here", {
      code: error.code,
      why: error.message,
      phase,
    });
    await files.write(path, new TextEncoder().encode(`${error.code}\n`), { mode: FILE_MODE });
  }
  return null;
}
