/**
 * Where a path of the box really leads: symbolic links followed one by one, since the agent may look
 * at what its config names and at nothing else (SPEC §10). Facts alone; the policy judges.
 */

import type { PathFact } from "../core/policy/model_facts.ts";
import { isWithin } from "../core/policy/bind_place.ts";
import type { Files } from "../ports.ts";

/** As many as Linux follows before it says ELOOP (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * Takes a normalised absolute path and the folders that may be looked into; gives what it is. Those
 * folders themselves and what leads to them are the operator's, and taken as they are written. Throws
 * FILE_UNREADABLE.
 */
export async function realPath(
  files: Pick<Files, "stat" | "readLink">,
  path: string,
  roots: readonly string[],
): Promise<PathFact> {
  let rest = partsOf(path);
  let real = "";
  let links = 0;
  let kind: PathFact["kind"] = "directory";
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === "..") {
      real = real.slice(0, Math.max(real.lastIndexOf("/"), 0));
      continue;
    }
    const next = `${real}/${part}`;
    if (roots.some((root) => isWithin(root, next))) {
      real = next;
      kind = "directory";
      continue;
    }
    if (!roots.some((root) => isWithin(next, root))) {
      return { real: [next, ...rest].join("/"), kind: "hidden" };
    }
    const stat = await files.stat(next);
    if (stat === null) return { real: [next, ...rest].join("/"), kind: null };
    if (stat.kind === "symlink") {
      const target = await files.readLink(next) ?? "";
      if (++links > MAX_LINKS || target === "") return { real: next, kind: "hidden" };
      if (target.startsWith("/")) real = "";
      rest = [...partsOf(target), ...rest];
      continue;
    }
    real = next;
    kind = stat.kind;
  }
  return { real: real === "" ? "/" : real, kind };
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
