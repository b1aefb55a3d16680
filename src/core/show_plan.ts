/** What `plan` prints: the session, the decision, and each step with its reason. Pure. */

import type { Decision } from "./decide.ts";
import type { SessionPlan } from "./plan_session.ts";
import type { Step } from "./step.ts";

/** What is shown. */
export interface PlanView {
  readonly session: SessionPlan;
  readonly decision: Decision | null;
  readonly steps: readonly Step[];
  readonly refusal:
    | { readonly code: string; readonly message: string; readonly hint: string }
    | null;
}

/** Takes a plan; gives the lines for a person, each ended. */
export function showPlan(view: PlanView): string {
  return `${linesOf(view).join("\n")}\n`;
}

function linesOf({ session, decision, steps, refusal }: PlanView): readonly string[] {
  const first = session.kind === "stop"
    ? row("session", `stop: ${session.code}`, session.message)
    : row("session", session.kind, session.reason);
  if (decision === null) {
    return [first, row("deploy", "unknown", "tenancy is asked once the session is open")];
  }
  const until = decision.kind === "wait" && decision.until !== null
    ? ` until ${new Date(decision.until).toISOString()}`
    : "";
  const lines = [first, row("deploy", `${decision.kind}${until}`, decision.reason)];
  if (refusal !== null) {
    return [...lines, row("refuse", refusal.code, refusal.message), row("", "do", refusal.hint)];
  }
  return [
    ...lines,
    ...steps.map((each, index) => row(`${index + 1}.`.padStart(4), each.action, each.reason)),
  ];
}

function row(head: string, what: string, why: string): string {
  return `${head.padEnd(8)} ${what.padEnd(12)} ${why}`.trimEnd();
}
