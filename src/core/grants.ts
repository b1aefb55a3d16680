/** Whether one set of grants covers another, or an access: as the runtime compares them. Pure. */

import type { Permissions } from "./permissions.ts";

/** The kinds of grants. */
export type GrantKind = "net" | "read" | "write" | "run" | "env" | "sys";

/** The kinds of grants, in the order of the flags. */
export const GRANT_KINDS: readonly GrantKind[] = ["net", "read", "write", "run", "env", "sys"];

/** Takes a grant and what is asked for; says whether it is covered. A folder's grant holds for all in it. */
export function covers(kind: GrantKind, granted: string, asked: string): boolean {
  if (granted === asked) return true;
  return (kind === "read" || kind === "write") && asked.startsWith(`${granted}/`);
}

/** Takes what there is and what is needed; gives what is missing, as `kind value`, sorted by kind. */
export function ungranted(have: Permissions, need: Permissions): readonly string[] {
  const missing = GRANT_KINDS.flatMap((kind) =>
    need[kind]
      .filter((asked) => !have[kind].some((granted) => covers(kind, granted, asked)))
      .map((asked) => `${kind} ${asked}`)
  );
  const denied = (have.denyNet ?? []).join() === (need.denyNet ?? []).join();
  return denied ? missing : [...missing, "net to another system.ip_range"];
}
