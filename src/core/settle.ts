/**
 * After the steps: state and what happened → the next state and the report (SPEC §4.9). Pure, so
 * that every ending of a tick can stand in a table.
 */

import type { SecretVersion } from "../model/bundle.ts";
import type { Released, ServiceStatus } from "../model/containers.ts";
import type {
  AgentState,
  AppliedRelease,
  Report,
  ReportResult,
  StepReport,
} from "../model/state.ts";
import { nextFailure } from "./pacing.ts";

const HISTORY_KEPT = 50;
const REPAIRS_KEPT = 16;
const OUTBOX_KEPT = 32;

/** How the deploying part of a tick ended. */
export type Ending =
  | {
    readonly kind: "applied";
    readonly sha: string;
    readonly serial: number | null;
    readonly released: Released;
    readonly secrets: readonly SecretVersion[];
    /** A note for the report, e.g. that a rollback was allowed. */
    readonly note?: string;
  }
  | {
    readonly kind: "repaired";
    readonly released: Released;
    /** The services that compose brought up: only those are known to run as the files want them. */
    readonly broughtUp: readonly string[];
  }
  /** The release that failed is quarantined, the one before runs again. */
  | { readonly kind: "restored"; readonly released: Released; readonly note: string }
  | { readonly kind: "removed" }
  | {
    readonly kind: "failed";
    readonly sha: string;
    readonly serial: number | null;
    readonly code: string;
    readonly detail: string;
    readonly hint: string;
    readonly secrets: readonly SecretVersion[];
    /** The project's containers may have been touched: the next tick must converge. */
    readonly touched: boolean;
    /** Epoch milliseconds of the next try; left out: as core/pacing.ts has it. */
    readonly retryAt?: number;
  };

/** What the report needs besides the ending. */
export interface ReportFacts {
  readonly reportId: string;
  readonly agentVersion: string;
  readonly tokenSource: "bootstrap" | "lease" | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly steps: readonly StepReport[];
  readonly services: readonly ServiceStatus[];
}

/** Takes the state, the ending and its facts; gives the state to write, the report in its outbox. */
export function settle(state: AgentState, ending: Ending, facts: ReportFacts): AgentState {
  const next = nextState(state, ending, facts.finishedAt);
  const report = reportOf(state, ending, facts);
  return { ...next, outbox: [...next.outbox, report].slice(-OUTBOX_KEPT) };
}

function nextState(state: AgentState, ending: Ending, now: number): AgentState {
  switch (ending.kind) {
    case "applied": {
      const applied = { sha: ending.sha, serial: ending.serial, at: new Date(now).toISOString() };
      return {
        ...state,
        applied,
        released: ending.released,
        secrets: ending.secrets,
        history: historyWith(state.history, applied),
        failed: null,
        applying: null,
        // Applied again, since somebody changed what ran: that can flap as well.
        repairs: state.applied?.sha === ending.sha ? repairsWith(state.repairs, now) : [],
      };
    }
    case "restored": {
      const { failed } = state;
      return {
        ...state,
        released: ending.released,
        failed: failed === null ? null : { ...failed, quarantined: true },
        applying: null,
        repairs: [],
      };
    }
    case "repaired":
      return {
        ...state,
        released: afterRepair(state.released, ending.released, ending.broughtUp),
        failed: state.failed?.sha === state.applied?.sha ? null : state.failed,
        repairs: repairsWith(state.repairs, now),
      };
    case "removed":
      return {
        ...state,
        applied: null,
        released: null,
        secrets: [],
        failed: null,
        applying: null,
        repairs: [],
      };
    case "failed": {
      const { sha, code, detail, hint } = ending;
      const failure = nextFailure(state.failed, { sha, code, detail, hint, now });
      return {
        ...state,
        failed: { ...failure, nextAttemptAt: ending.retryAt ?? failure.nextAttemptAt },
        applying: ending.touched ? state.applying : null,
      };
    }
  }
}

/**
 * A repair vouches for what it brought up. Another service is remembered as it was released: a
 * container of it that was only unpaused, or that the Engine was restarting, may be of another config
 * or image, which the next tick must still see.
 */
function afterRepair(
  before: Released | null,
  taken: Released,
  broughtUp: readonly string[],
): Released {
  const entries = Object.entries(taken).map(([name, service]) =>
    [name, broughtUp.includes(name) ? service : before?.[name] ?? service] as const
  );
  return Object.fromEntries(entries);
}

function repairsWith(repairs: readonly number[], now: number): readonly number[] {
  return [...repairs, now].slice(-REPAIRS_KEPT);
}

/** Re-applying the newest release renews its time; an older one that comes back becomes the newest. */
function historyWith(
  history: readonly AppliedRelease[],
  applied: AppliedRelease,
): readonly AppliedRelease[] {
  return [...history.filter((release) => release.sha !== applied.sha), applied]
    .slice(-HISTORY_KEPT);
}

function reportOf(state: AgentState, ending: Ending, facts: ReportFacts): Report {
  const subject = subjectOf(state, ending);
  return {
    report_id: facts.reportId,
    env_id: state.envId,
    ...subject,
    started_at: new Date(facts.startedAt).toISOString(),
    finished_at: new Date(facts.finishedAt).toISOString(),
    agent_version: facts.agentVersion,
    token_source: facts.tokenSource,
    steps: facts.steps,
    services: facts.services,
    secrets: secretsOf(state, ending),
  };
}

/** What runs afterwards reads these; after a removal nothing does. */
function secretsOf(state: AgentState, ending: Ending): readonly SecretVersion[] {
  if (ending.kind === "removed") return [];
  return "secrets" in ending ? ending.secrets : state.secrets;
}

/** What a report and the history say the ending is about. */
export type Subject = Pick<Report, "sha" | "serial" | "result" | "code" | "detail">;

/** Takes the state before the ending; gives the release that it is about, and its result. */
export function subjectOf(state: AgentState, ending: Ending): Subject {
  const applied = { sha: state.applied?.sha ?? null, serial: state.applied?.serial ?? null };
  const result: ReportResult = ending.kind;
  switch (ending.kind) {
    case "applied": {
      const { sha, serial, note } = ending;
      return note === undefined ? { sha, serial, result } : { sha, serial, result, detail: note };
    }
    case "restored":
      return { ...applied, result, detail: ending.note };
    case "repaired":
    case "removed":
      return { ...applied, result };
    case "failed":
      return {
        sha: ending.sha,
        serial: ending.serial,
        result,
        code: ending.code,
        detail: ending.detail,
      };
  }
}
