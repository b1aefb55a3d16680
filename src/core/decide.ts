/**
 * The decision table of a tick (SPEC §4): what is desired, what was applied, what runs → what this
 * tick does. Pure: every row stands in tests/core/decide_test.ts.
 */

import type { Container } from "../model/containers.ts";
import type { AgentState, Applying, FailedRelease } from "../model/state.ts";
import type { Desired } from "../model/tenancy_wire.ts";
import { compareReleased, type ServiceDrift } from "./as_released.ts";
import { isDue } from "./pacing.ts";
import { planRepair, type RepairPlan } from "./repair.ts";

/** Everything the table looks at. */
export interface DecisionFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** `tick --now`: a wait is over. */
  readonly force: boolean;
  readonly desired: Desired;
  readonly state: AgentState;
  readonly containers: readonly Container[];
  /** The applied release is on disk with everything a repair needs. */
  readonly releaseOnDisk: boolean;
  /** `on_failure: restore`. */
  readonly restores: boolean;
}

/** What the tick does, and why. */
export type Decision =
  /** `left`: something differs, and the Engine is at it already. */
  | { readonly kind: "nothing"; readonly reason: string; readonly left?: true }
  /** `until` null: not before another sha is desired. */
  | { readonly kind: "wait"; readonly reason: string; readonly until: number | null }
  | { readonly kind: "apply"; readonly reason: string; readonly sha: string }
  | { readonly kind: "repair"; readonly reason: string; readonly repair: RepairPlan }
  /** Repairs pause until `until`, epoch milliseconds; `services`: those that repairs did not help. */
  | {
    readonly kind: "flapping";
    readonly reason: string;
    readonly until: number;
    readonly services: readonly ServiceDrift[];
  }
  /** The tick of a failed apply was killed before it could bring the applied release back. */
  | { readonly kind: "restore"; readonly reason: string }
  | { readonly kind: "remove"; readonly reason: string };

/** Takes the facts; gives the one row of the table that fits them. */
export function decide(facts: DecisionFacts): Decision {
  return facts.desired.state === "absent"
    ? decideAbsent(facts)
    : decidePresent(facts, facts.desired.sha);
}

function decideAbsent({ state, containers }: DecisionFacts): Decision {
  if (containers.length > 0) {
    const exist = containers.length === 1 ? "container exists" : "containers exist";
    return { kind: "remove", reason: `desired absent, ${containers.length} ${exist}` };
  }
  if (state.applied !== null || state.applying !== null) {
    return { kind: "remove", reason: "desired absent, a release is still recorded" };
  }
  return { kind: "nothing", reason: "desired absent, nothing is there" };
}

function decidePresent(facts: DecisionFacts, sha: string): Decision {
  const { state, now, force } = facts;
  if (runsAsReleased(facts, sha)) return { kind: "nothing", reason: "running as released" };
  const failed = state.failed;
  if (failed !== null && failed.sha === sha && !force && !isDue(failed, now)) {
    return decideWaiting(facts, failed);
  }
  if (state.applying !== null) {
    return { kind: "apply", sha, reason: unfinished(state.applying, failed) };
  }
  if (state.applied === null) {
    return { kind: "apply", sha, reason: "nothing is applied" };
  }
  if (state.applied.sha !== sha) {
    return { kind: "apply", sha, reason: `replaces ${short(state.applied.sha)}` };
  }
  return decideApplied(facts, sha);
}

/** What an earlier apply left half done, by its own failure or because its tick was stopped. */
function unfinished(applying: Applying, failed: FailedRelease | null): string {
  const how = failed?.sha === applying.sha
    ? "failed after it began"
    : `stopped in ${applying.step}`;
  return `the apply of ${short(applying.sha)} ${how}`;
}

function runsAsReleased({ state, containers }: DecisionFacts, sha: string): boolean {
  if (state.applying !== null || state.applied?.sha !== sha || state.released === null) {
    return false;
  }
  return compareReleased(state.released, containers).same;
}

/** While the desired release waits, the one that is applied is still looked after. */
function decideWaiting(facts: DecisionFacts, failed: FailedRelease): Decision {
  const { applied, applying } = facts.state;
  if (isRestoreOwed(facts, failed)) {
    return { kind: "restore", reason: `${short(failed.sha)} failed with ${failed.code}` };
  }
  if (applied !== null && applying === null && applied.sha !== failed.sha) {
    const decision = decideApplied(facts, applied.sha);
    if (decision.kind === "repair") return decision;
  }
  const times = failed.attempts === 1 ? "once" : `${failed.attempts} times`;
  return {
    kind: "wait",
    reason: `failed ${times} with ${failed.code}${failed.quarantined ? ", quarantined" : ""}`,
    until: failed.quarantined ? null : failed.nextAttemptAt,
  };
}

function isRestoreOwed(
  { state, restores, releaseOnDisk }: DecisionFacts,
  failed: FailedRelease,
): boolean {
  const { applied, applying } = state;
  return restores && releaseOnDisk && !failed.quarantined && applied !== null &&
    applied.sha !== failed.sha && applying?.sha === failed.sha;
}

/** The desired release is the applied one, and something differs from how it was released. */
function decideApplied(facts: DecisionFacts, sha: string): Decision {
  const { state, containers, now } = facts;
  if (state.released === null) {
    return { kind: "apply", sha, reason: "it is not known how the release should run" };
  }
  const comparison = compareReleased(state.released, containers);
  if (comparison.same) return { kind: "nothing", reason: "running as released" };
  const repair = planRepair(comparison.services, { repairs: state.repairs, now });
  const drift = comparison.services.map((each) => `${each.service} ${each.why}`).join(", ");
  switch (repair.kind) {
    case "none":
      return { kind: "nothing", reason: drift, left: true };
    case "flapping":
      return {
        kind: "flapping",
        reason: drift,
        until: repair.until,
        services: comparison.services,
      };
    case "apply":
      return { kind: "apply", sha, reason: drift };
    case "repair":
      return facts.releaseOnDisk
        ? { kind: "repair", reason: drift, repair }
        : { kind: "apply", sha, reason: `${drift}; the release is not on disk` };
  }
}

/** Takes a sha; gives the part of it that people read. */
export function short(sha: string): string {
  return sha.slice(0, 12);
}
