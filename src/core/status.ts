/**
 * What `status` tells, as data: the shape of `status --json` (docs/COMMANDS.md) and the source of
 * the screen for a person. Pure; facts of this box alone, nothing is asked of tenancy.
 */

import { CATALOGUE, type Code } from "../errors.ts";
import type { Container, ServiceStatus } from "../model/containers.ts";
import type { LastDesired, LastTick } from "../model/last_tick.ts";
import type { AgentState, AppliedRelease, Applying, Report } from "../model/state.ts";
import { compareReleased } from "./as_released.ts";
import { saySpan } from "./say_time.ts";
import { servicesOf } from "./services.ts";
import { lifeLeftS, type TokenFacts } from "./session_facts.ts";

/** What is known of the box. */
export interface StatusFacts {
  readonly agentVersion: string;
  readonly site: string;
  readonly transport: string;
  readonly renewBelowS: number;
  readonly state: AgentState;
  readonly token: TokenFacts | null;
  /** Null: the Engine cannot be asked. */
  readonly containers: readonly Container[] | null;
  /** Null: no tick has kept anything yet. */
  readonly lastTick: LastTick | null;
  /** Epoch seconds; null: no metrics tell it. */
  readonly lastTickS: number | null;
  /** What was odd about the agent's own files, in whole clauses. */
  readonly found: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `status --json`. Times: RFC 3339, UTC. */
export interface Status {
  readonly agent_version: string;
  readonly env_id: string;
  readonly project: string;
  readonly site: string;
  readonly transport: string;
  /** As of the last check-in; null: there was none. */
  readonly desired: LastDesired | null;
  readonly applied: AppliedRelease | null;
  /** An apply that has begun and not ended. */
  readonly applying: Applying | null;
  readonly failed: StatusFailure | null;
  /** Null: the Docker Engine cannot be asked. A service that is not there is `missing`. */
  readonly services: readonly ServiceStatus[] | null;
  readonly secrets: AgentState["secrets"];
  readonly token: StatusToken | null;
  readonly last_tick: StatusTick | null;
  readonly next_attempt_at: string | null;
  readonly outbox: readonly Pick<Report, "report_id" | "result" | "sha" | "finished_at">[];
  readonly warnings: readonly string[];
}

/** The release that could not be applied. */
export interface StatusFailure {
  readonly sha: string;
  readonly code: string;
  readonly detail: string | null;
  /** The operator's next action; null for a code that this version does not know. */
  readonly hint: string | null;
  readonly attempts: number;
  readonly at: string;
  /** Not tried again until another release is desired, or `tick --now`. */
  readonly quarantined: boolean;
}

/** The OpenBao token, without its value. */
export interface StatusToken {
  readonly source: "bootstrap" | "lease";
  readonly seconds_left: number;
  readonly expires_at: string;
}

/** How the last tick ended, apart from what it applied. */
export interface StatusTick {
  /** Null: not kept, since a tick that finds nothing to do writes nothing. */
  readonly at: string | null;
  readonly ok: boolean;
  readonly code: string | null;
  readonly message: string | null;
  readonly hint: string | null;
  /** When a tick ended like this first; null when it ended well. */
  readonly since: string | null;
}

/** Takes the facts; gives what `status` tells. */
export function statusOf(facts: StatusFacts): Status {
  const { state, token, now } = facts;
  return {
    agent_version: facts.agentVersion,
    env_id: state.envId,
    project: state.project,
    site: facts.site,
    transport: facts.transport,
    desired: facts.lastTick?.desired ?? null,
    applied: state.applied,
    applying: state.applying,
    failed: failureOf(state),
    services: servicesOfRelease(facts),
    secrets: state.secrets,
    token: token === null ? null : {
      source: token.source,
      seconds_left: lifeLeftS(token, now),
      expires_at: isoOf(token.expiresAt),
    },
    last_tick: lastTickOf(facts),
    next_attempt_at: nextAttemptOf(state),
    outbox: state.outbox.map(({ report_id, result, sha, finished_at }) => {
      return { report_id, result, sha, finished_at };
    }),
    warnings: warningsOf(facts),
  };
}

function failureOf({ failed }: AgentState): StatusFailure | null {
  if (failed === null) return null;
  const { sha, code, detail = null, hint = hintOf(code), attempts, at, quarantined } = failed;
  return { sha, code, detail, hint, attempts, at: isoOf(at), quarantined };
}

function hintOf(code: string): string | null {
  return Object.hasOwn(CATALOGUE, code) ? CATALOGUE[code as Code].hint : null;
}

function nextAttemptOf({ failed }: AgentState): string | null {
  return failed === null || failed.quarantined ? null : isoOf(failed.nextAttemptAt);
}

function servicesOfRelease({ containers, state }: StatusFacts): Status["services"] {
  if (containers === null) return null;
  const services = servicesOf(containers);
  const seen = new Set(services.map(({ name }) => name));
  const missing = Object.entries(state.released ?? {})
    .filter(([name, { count, oneShot }]) => count > 0 && !oneShot && !seen.has(name))
    .map(([name]) => ({ name, state: "missing", health: null, image: "" }));
  return [...services, ...missing].sort((left, right) => left.name < right.name ? -1 : 1);
}

function lastTickOf({ lastTick, lastTickS }: StatusFacts): StatusTick | null {
  const at = lastTickS === null ? null : isoOf(lastTickS * 1000);
  const trouble = lastTick?.trouble ?? null;
  if (trouble === null) {
    if (at === null && lastTick === null) return null;
    return { at, ok: true, code: null, message: null, hint: null, since: null };
  }
  const { code, message, hint, since } = trouble;
  return { at, ok: false, code, message, hint, since };
}

function warningsOf(facts: StatusFacts): readonly string[] {
  const { state, token, containers, renewBelowS, now } = facts;
  const warnings: string[] = [...facts.found];
  if (containers === null) warnings.push("the Docker Engine cannot be asked");
  else if (state.released !== null) {
    const comparison = compareReleased(state.released, containers);
    const drift = comparison.same ? [] : comparison.services;
    warnings.push(...drift.map(({ service, why }) => `${service}: ${why}`));
  }
  if (token === null) warnings.push("there is no OpenBao token");
  else if (lifeLeftS(token, now) < renewBelowS) {
    warnings.push(`the token lives ${saySpan(lifeLeftS(token, now))}, and is due for renewal`);
  }
  if (state.outbox.length > 0) {
    warnings.push(`tenancy does not have ${state.outbox.length} of this box's reports`);
  }
  return warnings;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
