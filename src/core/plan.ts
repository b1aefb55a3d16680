/**
 * From a decision to the steps that carry it out (SPEC §4). A plan is data: `plan` prints it, the
 * engine executes it, and a refusal has no steps at all.
 */

import type { Bundle } from "../model/bundle.ts";
import type { AgentState } from "../model/state.ts";
import { short } from "./decide.ts";
import type { RepairPlan } from "./repair.ts";
import { type Step, step } from "./step.ts";

/** What an apply's steps depend on besides the bundle. */
export interface ApplyFacts {
  readonly state: AgentState;
  readonly releasesKept: number;
}

/** Takes a bundle that no rule refused; gives the steps that apply it, in the order of SPEC §4. */
export function planApply(bundle: Bundle, facts: ApplyFacts): readonly Step[] {
  const { sha } = bundle;
  const name = short(sha);
  const variables = bundle.manifest.entries.map((entry) => entry.var).sort();
  const reads: readonly Step[] = variables.length === 0 ? [] : [
    step("token", { sha }, `${variables.join(", ")} come from OpenBao`),
    step("secrets", { variables }, "read the pinned versions"),
  ];
  return [
    step("preflight", { sha }, "nothing is fetched onto a disk that is too full"),
    step("stage", { sha }, `write release ${name}`),
    ...reads,
    step("render", { sha }, "write the release's .env"),
    step("validate", { sha }, "compose must accept the files, and this box's policy allow them"),
    step("pull", { sha }, "images that are missing are fetched while the old services run"),
    step("up", { sha }, upReason(facts.state)),
    step("health", { sha }, "the release counts when its services are healthy"),
    step("commit", { sha }, `make ${name} the current release`),
    step("prune", { keep: facts.releasesKept }, `keep ${facts.releasesKept} releases`),
  ];
}

function upReason(state: AgentState): string {
  return state.applied === null
    ? "start the services"
    : `replace what changed since ${short(state.applied.sha)}`;
}

/** Takes a repair of the applied release; gives its steps. */
export function planRepairSteps(sha: string, repair: RepairPlan): readonly Step[] {
  if (repair.kind !== "repair") return [];
  const { unpause, start, recreate } = repair;
  return [
    step("repair", { unpause, start, recreate }, "bring back what stopped, leave the rest alone"),
    step("health", { sha }, "a repair counts when the services are healthy"),
    step("commit", { sha }, "keep the list of what runs"),
  ];
}

/** Takes the last good release; gives the steps that bring it back after another one failed. */
export function planRestore(sha: string): readonly Step[] {
  const name = short(sha);
  return [
    step("up", { sha }, `bring ${name} back, with the secret versions it was released with`),
    step("health", { sha }, "the release counts when its services are healthy"),
    step("commit", { sha }, `${name} stays the current release`),
  ];
}

/** Takes whether volumes go too; gives the steps that remove the project. */
export function planRemove(volumes: boolean): readonly Step[] {
  return [
    step("down", { volumes }, volumes ? "containers, networks, volumes" : "volumes are kept"),
    step("gone", {}, "check that no container and no network is left"),
    step("forget", {}, "a retired box keeps no secrets"),
  ];
}
