/** One executor for each action: the total table that execute.ts runs plans by. */

import type { Action, StepArgs } from "../core/step.ts";
import type { Agent } from "./agent.ts";
import { downStep, goneStep, healthStep, repairStep, upStep } from "./container_steps.ts";
import { forgetStep, pruneStep } from "./prune_step.ts";
import { pullStep } from "./pull_step.ts";
import { commitStep, preflightStep, stageStep, validateStep } from "./release_steps.ts";
import { renderStep, secretsStep, tokenStep } from "./secret_steps.ts";
import type { Work } from "./work.ts";

/** Carries out one step; what later steps need is left in the work. */
export type Executor<A extends Action> = (
  agent: Agent,
  args: StepArgs[A],
  work: Work,
) => Promise<void>;

/** Action → executor. A missing one does not compile. */
export const EXECUTORS: { readonly [A in Action]: Executor<A> } = {
  preflight: preflightStep,
  stage: stageStep,
  token: tokenStep,
  secrets: secretsStep,
  render: renderStep,
  validate: validateStep,
  pull: pullStep,
  up: upStep,
  repair: repairStep,
  health: healthStep,
  commit: commitStep,
  prune: pruneStep,
  down: downStep,
  gone: goneStep,
  forget: forgetStep,
};
