/**
 * What the policy found (SPEC §9), the name that the host's config allows it by, and the refusal
 * that all findings make together. Names are API: they stand in configs. Never rename one.
 */

import type { FindingKind } from "../../model/finding_names.ts";
import { listProblems } from "../../model/bundle_problems.ts";
import { headOf, plainText } from "../../model/plain_text.ts";
import type { Refusal } from "../refusals.ts";

/** One thing that a bundle asks for and may not have. */
export interface Finding {
  /** The first part of its name: `privileged`, `cap_add`, `bind`. */
  readonly kind: FindingKind;
  /** The second part, for kinds that come in many: `SYS_ADMIN`, `/etc`. May hold a secret's value. */
  readonly value: string | null;
  /** Where it stands: `services.web.volumes[0]`. */
  readonly key: string;
  /** What is wrong with it, where the name alone does not say so. */
  readonly why: string | null;
}

/** Host paths that a bundle does not bring are told under a code of their own (SPEC §9). */
export const MISSING = "bind_missing" satisfies FindingKind;

/** Findings named in one message; the rest is counted. */
const MAX_NAMED = 40;
const MAX_SHOWN = 160;

/** Gives a finding. */
export function finding(
  kind: FindingKind,
  about: { readonly value?: string; readonly key: string; readonly why?: string },
): Finding {
  return { kind, value: about.value ?? null, key: about.key, why: about.why ?? null };
}

/**
 * Gives a finding's name: `kind` or `kind:value`. What a list in a config or a log line cannot hold
 * (blanks, commas, control characters) is written as in a URL.
 */
export function findingName({ kind, value }: Pick<Finding, "kind" | "value">): string {
  return value === null ? kind : `${kind}:${encode(value)}`;
}

/** What findings are judged by. */
export interface FindingFacts {
  /** Names that the host's config allows. */
  readonly allow: readonly string[];
  /** Hides secrets in a value before it is printed. */
  readonly mask: (text: string) => string;
}

/** Takes findings; gives those that the host does not allow, each once. */
export function denied(
  findings: readonly Finding[],
  allow: readonly string[],
): readonly Finding[] {
  const allowed = new Set(allow);
  const seen = new Set<string>();
  return findings.filter((each) => {
    const name = findingName(each);
    const whole = `${each.key} ${name}`;
    // A missing file is no question of trust: allowing it would let docker make a folder of it.
    if (seen.has(whole) || (allowed.has(name) && each.kind !== MISSING)) return false;
    seen.add(whole);
    return true;
  });
}

/** Takes findings; gives the refusal that names all of them, or null when nothing is denied. */
export function refuseFindings(
  findings: readonly Finding[],
  { allow, mask }: FindingFacts,
): Refusal | null {
  const left = denied(findings, allow);
  if (left.length === 0) return null;
  const lines = left.map(({ kind, value, key, why }) => {
    const name = findingName({ kind, value: value === null ? null : mask(value) });
    return `${shown(plainText(key))}: ${shown(name)}${why === null ? "" : ` (${why})`}`;
  });
  const onlyMissing = left.every(({ kind }) => kind === MISSING);
  return {
    code: onlyMissing ? "BIND_MISSING" : "POLICY_DENIED",
    message: listProblems(lines, MAX_NAMED),
    data: { findings: left.length },
  };
}

function encode(value: string): string {
  return value.toWellFormed().replace(/[\s,%\p{C}\p{Z}]/gu, encodeURIComponent);
}

function shown(text: string): string {
  return headOf(text, MAX_SHOWN);
}
