/** What `plan` prints: the session, the decision, what differs, each step with its reason. Pure. */

import { CATALOGUE } from "../errors.ts";
import type { LastDesired } from "../model/last_tick.ts";
import { type Decision, short } from "./decide.ts";
import type { SessionPlan } from "./plan_session.ts";
import type { Change, NameDiff, ReleaseDiff } from "./release_diff.ts";
import { sayDate } from "./say_time.ts";
import type { Step } from "./step.ts";

/** A failure as it is shown. */
export interface ShownFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What is shown. */
export interface PlanView {
  readonly session: SessionPlan;
  /** Null: tenancy was not asked, or did not say. */
  readonly desired: LastDesired | null;
  readonly decision: Decision | null;
  /** Why there is no decision; null also when the session has to be opened first. */
  readonly trouble: ShownFailure | null;
  /** Null: nothing would be applied, or the bundle cannot be had. */
  readonly diff: ReleaseDiff | null;
  readonly steps: readonly Step[];
  /** The bundle would be refused, or cannot be had. */
  readonly refusal: ShownFailure | null;
}

/** A list for a person; `--json` has the whole. */
const MAX_NAMES = 12;

/** Takes a plan; gives the lines for a person, each ended. */
export function showPlan(view: PlanView): string {
  return `${linesOf(view).join("\n")}\n`;
}

/** Takes a plan; gives `plan --json` (docs/COMMANDS.md). */
export function planJson(view: PlanView): Readonly<Record<string, unknown>> {
  const { session, desired, decision, trouble, diff, steps, refusal } = view;
  return {
    session: session.kind === "stop"
      ? { action: "stop", code: session.code, reason: session.message }
      : { action: session.kind, code: null, reason: session.reason },
    desired,
    decision: decision === null ? null : {
      action: decision.kind,
      reason: decision.reason,
      until: decision.kind === "wait" && decision.until !== null
        ? new Date(decision.until).toISOString()
        : null,
    },
    error: trouble,
    refusal,
    changes: diff,
    steps: steps.map(({ action, reason }) => ({ action, reason })),
  };
}

function linesOf(view: PlanView): readonly string[] {
  const { session, desired, decision, diff, steps } = view;
  const first = session.kind === "stop"
    ? [
      row("session", `stop: ${session.code}`, session.message),
      row("", "do", CATALOGUE[session.code].hint),
    ]
    : [row("session", session.kind, session.reason)];
  if (decision === null) return [...first, ...undecidedLines(view)];
  const until = decision.kind === "wait" && decision.until !== null
    ? ` until ${sayDate(decision.until)}`
    : "";
  return [
    ...first,
    row("desired", desiredText(desired), ""),
    row("deploy", `${decision.kind}${until}`, decision.reason),
    ...failureLines("refuse", view.refusal),
    ...(diff === null ? [] : diffLines(diff)),
    ...steps.map((each, index) => row(`${index + 1}.`.padStart(4), each.action, each.reason)),
  ];
}

function undecidedLines({ trouble }: PlanView): readonly string[] {
  if (trouble !== null) return failureLines("deploy", trouble);
  return [row("deploy", "unknown", "tenancy is asked once the session is open")];
}

function failureLines(head: string, failure: ShownFailure | null): readonly string[] {
  if (failure === null) return [];
  return [row(head, failure.code, failure.message), row("", "do", failure.hint)];
}

function desiredText(desired: LastDesired | null): string {
  if (desired === null) return "unknown";
  if (desired.state === "absent") return "absent";
  return desired.serial === null
    ? short(desired.sha)
    : `${short(desired.sha)} serial ${desired.serial}`;
}

function diffLines(diff: ReleaseDiff): readonly string[] {
  const texts = [
    ...diff.images.map((each) => ["image", changeText(each)] as const),
    ...nameTexts("service", diff.services),
    ...nameTexts("file", diff.files),
    ...nameTexts("variable", diff.variables),
    ...diff.secrets.map((each) => ["secret", changeText(each)] as const),
  ];
  if (texts.length === 0) return [row("changes", "none", "the release holds the same files")];
  return texts.map(([what, text], index) => row(index === 0 ? "changes" : "", what, text));
}

function changeText<T extends string | number>({ name, from, to }: Change<T>): string {
  if (from === null) return `${name} is new: ${to}`;
  return to === null ? `${name} goes` : `${name} ${from} → ${to}`;
}

function nameTexts(what: string, diff: NameDiff): readonly (readonly [string, string])[] {
  const texts: readonly (readonly [readonly string[], string])[] = [
    [diff.added, "new"],
    [diff.changed, "changed"],
    [diff.removed, "gone"],
  ];
  return texts.flatMap(([names, how]) =>
    names.length === 0 ? [] : [[what, `${how}: ${listed(names)}`] as const]
  );
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** A first word that is longer than its column ends it with two blanks, so that it stays a column. */
function row(head: string, what: string, why: string): string {
  const column = what.length < 12 ? what.padEnd(12) : `${what} `;
  return `${head.padEnd(8)} ${column} ${why}`.trimEnd();
}
