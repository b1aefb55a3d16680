/** The list that `history` shows: bounded, and a failure that repeats is one entry. Pure. */

import type { ApplyRecord } from "../model/history.ts";
import type { Ending, ReportFacts } from "./settle.ts";
import { subjectOf } from "./settle.ts";
import type { AgentState } from "../model/state.ts";

const APPLIES_KEPT = 50;
const MAX_TEXT_CHARS = 500;

/** What an entry says besides the report. */
export interface ApplyFacts extends Pick<ReportFacts, "startedAt" | "finishedAt" | "steps"> {
  readonly tokenSource: ReportFacts["tokenSource"];
  /** Why the tick did it. */
  readonly cause: string;
}

/** Takes the state before the ending and what happened; gives the entry for the list. */
export function recordOf(state: AgentState, ending: Ending, facts: ApplyFacts): ApplyRecord {
  const { sha, serial, result, code = null } = subjectOf(state, ending);
  const startedAt = new Date(facts.startedAt).toISOString();
  return {
    started_at: startedAt,
    finished_at: new Date(facts.finishedAt).toISOString(),
    result,
    sha,
    serial,
    cause: cut(facts.cause),
    code,
    message: ending.kind === "failed" ? messageOf(ending.code, ending.detail) : null,
    token_source: facts.tokenSource,
    steps: facts.steps,
    times: 1,
    since: startedAt,
  };
}

/**
 * Takes the list, oldest first, and a new entry; gives the next list. The same failure of the same
 * release again, such as each minute of an outage, replaces its entry and is counted in it.
 */
export function addApply(
  applies: readonly ApplyRecord[],
  entry: ApplyRecord,
): readonly ApplyRecord[] {
  const last = applies.at(-1);
  const repeats = last !== undefined && entry.result === "failed" && last.result === "failed" &&
    last.sha === entry.sha && last.code === entry.code;
  if (!repeats) return [...applies, entry].slice(-APPLIES_KEPT);
  return [...applies.slice(0, -1), { ...entry, times: last.times + 1, since: last.since }];
}

/** A detail begins with the code and goes on with the services' last lines, which state.json keeps. */
function messageOf(code: string, detail: string): string {
  const [first = ""] = detail.split("\n", 1);
  return cut(first.startsWith(`${code}: `) ? first.slice(code.length + 2) : first);
}

function cut(text: string): string {
  return text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`;
}
