/** Bringing the applied release back (SPEC §4): only what differs is touched, and it is reported. */

import { detailOf } from "../core/describe.ts";
import { planRepairSteps } from "../core/plan.ts";
import type { RepairPlan } from "../core/repair.ts";
import type { Ending } from "../core/settle.ts";
import { AgentError } from "../errors.ts";
import type { AppliedRelease } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { conclude } from "./conclude.ts";
import { execute } from "./execute.ts";
import { keepApply } from "./keep_apply.ts";
import type { Memory } from "./memory.ts";
import type { Observed } from "./observe.ts";
import { need, newWork } from "./work.ts";

/** Repairs the applied release; gives what went wrong, or null. */
export async function repairApplied(
  agent: Agent,
  memory: Memory,
  found: { readonly observed: Observed; readonly repair: RepairPlan; readonly reason: string },
): Promise<AgentError | null> {
  const startedAt = agent.ports.clock.now();
  const applied = need(memory.state.applied, "an applied release");
  const work = newWork({
    memory,
    sha: applied.sha,
    bundle: null,
    env: null,
    containers: found.observed.containers,
    secrets: memory.state.secrets,
  });
  const execution = await execute(agent, planRepairSteps(applied.sha, found.repair), work);
  const facts = {
    startedAt,
    cause: found.reason,
    steps: execution.steps,
    containers: work.containers,
  };
  const error = execution.failure?.error ?? null;
  if (error === null) {
    const released = need(work.released, "a list of what runs");
    await conclude(agent, memory, { ...facts, ending: { kind: "repaired", released } });
  } else {
    await concludeFailure(agent, memory, { ...facts, applied, error, evidence: work.evidence });
  }
  return error;
}

/** Reports that repairs are paused; gives the failure. */
export async function reportFlapping(
  agent: Agent,
  memory: Memory,
  found: { readonly observed: Observed; readonly reason: string },
): Promise<AgentError> {
  const applied = need(memory.state.applied, "an applied release");
  const error = new AgentError(
    "FLAPPING",
    `5 repairs within 300 s have not helped: ${found.reason}`,
  );
  await concludeFailure(agent, memory, {
    startedAt: agent.ports.clock.now(),
    cause: found.reason,
    steps: [],
    containers: found.observed.containers,
    applied,
    error,
    evidence: null,
  });
  return error;
}

interface Failure {
  readonly startedAt: number;
  readonly cause: string;
  readonly steps: Parameters<typeof conclude>[2]["steps"];
  readonly containers: Observed["containers"];
  readonly applied: AppliedRelease;
  readonly error: AgentError;
  readonly evidence: string | null;
}

/** What only the next tick can mend is kept on the box and reported to nobody. */
async function concludeFailure(agent: Agent, memory: Memory, failure: Failure): Promise<void> {
  const { applied, error, evidence, ...facts } = failure;
  const ending: Ending = {
    kind: "failed",
    sha: applied.sha,
    serial: applied.serial,
    code: error.code,
    detail: detailOf(error, evidence),
    secrets: memory.state.secrets,
    touched: false,
  };
  if (error.reported) await conclude(agent, memory, { ...facts, ending });
  else await keepApply(agent, memory, { ...facts, ending });
}
