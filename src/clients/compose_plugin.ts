/** Finds the compose plugin's file among the places where it may be; runs nothing. */

import { AgentError } from "../errors.ts";
import type { Files } from "../ports.ts";

const EXECUTABLE = 0o111;

/** The plugin's file. */
export interface PluginFile {
  readonly path: string;
  /** FileStat's; null for a link, whose own says nothing of what it leads to. */
  readonly identity: string | null;
}

/**
 * Takes paths in the order of search (core/permissions.ts composeCandidates); gives the first that
 * can be run. Throws COMPOSE_MISSING, naming all of them, when there is none.
 */
export async function findPlugin(
  files: Pick<Files, "stat">,
  candidates: readonly string[],
): Promise<PluginFile> {
  for (const path of candidates) {
    const stat = await files.stat(path);
    // A link's own mode says nothing; running it will tell.
    if (stat?.kind === "symlink") return { path, identity: null };
    const isProgram = stat?.kind === "file" && (stat.mode & EXECUTABLE) !== 0;
    if (isProgram) return { path, identity: stat.identity ?? null };
  }
  const places = candidates.map((each) => `"${each}"`).join(", ");
  throw new AgentError("COMPOSE_MISSING", `no docker compose plugin that can be run at ${places}`);
}
