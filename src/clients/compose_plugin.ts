/** Finds the compose plugin's file among the places where it may be; runs nothing. */

import { AgentError } from "../errors.ts";
import type { Files } from "../ports.ts";

const EXECUTABLE = 0o111;

/**
 * Takes paths in the order of search (core/permissions.ts composeCandidates); gives the first that
 * can be run. Throws COMPOSE_MISSING, naming all of them, when there is none.
 */
export async function findPlugin(
  files: Pick<Files, "stat">,
  candidates: readonly string[],
): Promise<string> {
  for (const path of candidates) {
    const stat = await files.stat(path);
    // A link's own mode says nothing; running it will tell.
    if (stat?.kind === "symlink") return path;
    if (stat?.kind === "file" && (stat.mode & EXECUTABLE) !== 0) return path;
  }
  const places = candidates.map((each) => `"${each}"`).join(", ");
  throw new AgentError("COMPOSE_MISSING", `no docker compose plugin that can be run at ${places}`);
}
