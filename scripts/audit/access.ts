/**
 * What one run was granted and what it asked for: the permission flags of its launch, and the file
 * that the runtime writes with DENO_AUDIT_PERMISSIONS set (facts: deno §2). Pure.
 */

import { GRANT_KINDS, type GrantKind } from "../../src/core/grants.ts";

/** A grant, or an access: `read /etc/hosts`. */
export interface Access {
  readonly kind: GrantKind;
  readonly value: string;
}

/** Takes permission flags; gives the grants, one by one. */
export function grantsOf(flags: readonly string[]): readonly Access[] {
  return GRANT_KINDS.flatMap((kind) => {
    const start = `--allow-${kind}=`;
    return flags.filter((flag) => flag.startsWith(start))
      .flatMap((flag) => flag.slice(start.length).split(","))
      .map((value) => ({ kind, value }));
  });
}

/**
 * Takes the text of an audit file; gives each access once. `ownCode` matches the paths of the
 * program's modules: a package holds them in the one file that it runs. Throws Error for a line of another version.
 */
export function accessesOf(text: string, ownCode: RegExp): readonly Access[] {
  const seen = new Map<string, Access>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const { v, permission, value } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const kind = GRANT_KINDS.find((known) => known === permission);
    if (v !== 1 || typeof value !== "string") throw new Error(`an audit line is odd: ${line}`);
    if (kind === undefined) throw new Error(`an access of a kind that is never granted: ${line}`);
    if (kind === "read" && ownCode.test(value)) continue;
    seen.set(`${kind} ${value}`, { kind, value });
  }
  return [...seen.values()];
}
