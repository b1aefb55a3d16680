/**
 * THE table of the doctor's checks: in the order in which a tick would fail, each with the checks
 * without which it says nothing. So the first check that fails is the cause, and what only follows
 * from it is not reported as a fault of its own. Pure.
 */

import { notChecked, type Verdict } from "./verdict.ts";

/** Check → the checks that must not have failed before it can be made. */
export const CHECKS = {
  config: [],
  user: ["config"],
  folders: ["config"],
  state: ["folders"],
  identity: ["config"],
  dns: ["config"],
  mesh: ["identity", "dns"],
  clock: ["mesh"],
  tls: ["mesh", "clock"],
  openbao: ["tls"],
  grant: ["state"],
  role: ["openbao"],
  token: ["state", "grant", "openbao"],
  policy: ["token"],
  tenancy: ["mesh", "token"],
  docker: ["config"],
  compose: ["config"],
  disk: ["config"],
  unit: ["config"],
  listeners: ["config"],
  release: ["state"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The name of a check. */
export type CheckName = keyof typeof CHECKS;

/** One line of the doctor's answer. */
export interface Finding extends Verdict {
  readonly check: CheckName;
  /** The failed check without which this one cannot be made; null for every other. */
  readonly blockedBy: CheckName | null;
}

/** The checks, in the order in which they are made and shown. */
export const CHECK_NAMES: readonly CheckName[] = Object.keys(CHECKS) as CheckName[];

/** Takes a check and what was found before; gives the failed check that it hangs on, or null. */
export function blockerOf(check: CheckName, found: readonly Finding[]): CheckName | null {
  for (const need of CHECKS[check]) {
    const before = found.find((each) => each.check === need);
    if (before?.state === "fail" && before.spares?.includes(check) !== true) return need;
    if (before !== undefined && before.blockedBy !== null) return before.blockedBy;
  }
  return null;
}

/** Gives the finding of a check that cannot be made since another one failed. */
export function blockedFinding(check: CheckName, blockedBy: CheckName): Finding {
  return { ...notChecked(`not checked: first mend "${blockedBy}"`), check, blockedBy };
}

/** Gives the finding of a check that was made. */
export function findingOf(check: CheckName, verdict: Verdict): Finding {
  return { ...verdict, check, blockedBy: null };
}

/** Takes all findings in order; gives the first that fails, which is the cause, or null. */
export function firstCause(findings: readonly Finding[]): Finding | null {
  return findings.find(({ state }) => state === "fail") ?? null;
}
