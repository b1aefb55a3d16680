/**
 * The agent's own folders: private, and everything in them the agent's. The usual fault is a tick
 * that somebody ran as root, whose files the agent may not read. Pure.
 */

import { fail, ok, type Verdict, warn } from "./verdict.ts";
import { octal, type Place, shellWords } from "./place.ts";

/** One path that was looked at; `stat` null: there is nothing. */
export interface SeenPath {
  readonly path: string;
  readonly stat: { readonly kind: string; readonly mode: number; readonly uid: number } | null;
}

/** What was seen of the folders. */
export interface FolderFacts {
  readonly state: SeenPath;
  readonly deploy: SeenPath;
  /** What lies in them and must be the agent's too. */
  readonly owned: readonly SeenPath[];
  /** Bytes that can still be written in the state folder; null: not known. */
  readonly freeBytes: number | null;
}

/** A state, a session and their temporary files are far below; a release's files are not. */
const LEAST_FREE_BYTES = 16 << 20;

/** Takes what was seen; gives the verdict. */
export function judgeFolders(facts: FolderFacts, place: Place): Verdict {
  const { state, deploy, owned } = facts;
  for (const { path, stat } of [state, deploy]) {
    if (stat !== null && stat.kind !== "directory") {
      return fail(
        "FILE_UNWRITABLE",
        `${path} is no folder (${stat.kind})`,
        shellWords("mv", path, `${path}.away`),
      );
    }
  }
  const uid = state.stat?.uid ?? null;
  const foreign = [deploy, ...owned].find(({ stat }) => stat !== null && stat.uid !== uid);
  if (uid !== null && foreign !== undefined) {
    return fail(
      "FILE_UNREADABLE",
      `${foreign.path} belongs to user ${foreign.stat?.uid}, ${state.path} to user ${uid}`,
      shellWords("chown", "-R", `${uid}:`, state.path, deploy.path),
    );
  }
  const { freeBytes } = facts;
  if (freeBytes !== null && freeBytes < LEAST_FREE_BYTES) {
    return fail(
      "DISK_FULL",
      `${Math.floor(freeBytes / 1024)} KiB are free below ${state.path}`,
      shellWords("df", "-h", state.path) + "; then remove what is not needed there",
    );
  }
  for (const { path, stat } of [state, deploy]) {
    if (stat !== null && (stat.mode & 0o077) !== 0) {
      return warn(
        `${path} has mode ${octal(stat.mode)}: others of this box may look in`,
        shellWords("chmod", "700", path),
      );
    }
  }
  if (state.stat === null) {
    return ok(`${state.path} is not there yet; the first tick makes it, but no folder above it`);
  }
  return ok(`${state.path} and ${place.config.deployDir} are private, user ${uid}`);
}
