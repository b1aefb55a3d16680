/** Why each step of a plan would run on this box, where facts say more than the plan itself. Pure. */

import type { RepairPlan } from "./repair.ts";
import type { Action, Step } from "./step.ts";
import type { TokenChoice } from "./token_choice.ts";

/** What was looked at; null: not known, or not needed. */
export interface StepFacts {
  readonly token: TokenChoice | null;
  /** Images that the bundle names and the Engine does not have; those with a `${VAR}` left out. */
  readonly missingImages: readonly string[] | null;
  /** Short shas of releases that would be removed. */
  readonly pruned: readonly string[];
  readonly repair: RepairPlan | null;
}

/** Takes a plan's steps and the facts; gives them with reasons that speak of this box. */
export function explainSteps(steps: readonly Step[], facts: StepFacts): readonly Step[] {
  const better = reasonsOf(facts);
  return steps.map((each) => ({ ...each, reason: better[each.action] ?? each.reason }));
}

function reasonsOf(facts: StepFacts): Partial<Record<Action, string>> {
  const { token, missingImages, pruned, repair } = facts;
  return {
    ...(token === null ? {} : { token: tokenReason(token) }),
    ...(missingImages === null ? {} : { pull: pullReason(missingImages) }),
    ...(pruned.length === 0 ? {} : { prune: `remove ${pruned.join(", ")}` }),
    ...(repair?.kind !== "repair" ? {} : { repair: repairReason(repair) }),
  };
}

function tokenReason(choice: TokenChoice): string {
  switch (choice.kind) {
    case "reuse":
      return `reuse the token: ${choice.reason}`;
    case "verify":
      return `ask OpenBao first: ${choice.reason}`;
    case "lease":
      return choice.tolerant
        ? `lease a grant: ${choice.reason}; without a lease the token there is will do`
        : `lease a grant: ${choice.reason}`;
    case "dead":
      return choice.reason;
  }
}

function pullReason(missing: readonly string[]): string {
  return missing.length === 0
    ? "every image is here already"
    : `fetch ${missing.join(", ")} while the old services run`;
}

function repairReason({ unpause, start, recreate }: RepairPlan & { kind: "repair" }): string {
  const containers = unpause.length === 1 ? "container" : "containers";
  return [
    ...(unpause.length === 0 ? [] : [`unpause ${unpause.length} ${containers}`]),
    ...(start.length === 0 ? [] : [`start ${start.join(", ")}`]),
    ...(recreate.length === 0 ? [] : [`recreate ${recreate.join(", ")}`]),
  ].join("; ") + "; leave the rest alone";
}
