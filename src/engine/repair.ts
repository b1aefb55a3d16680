/** Bringing the applied release back (SPEC §4): only what differs is touched, and it is reported. */

import type { Decision } from "../core/decide.ts";
import { toldFailure } from "../core/describe.ts";
import { planRepairSteps } from "../core/plan.ts";
import { broughtUpBy, FLAP_LIMIT, type RepairPlan } from "../core/repair.ts";
import type { Ending } from "../core/settle.ts";
import { AgentError } from "../errors.ts";
import type { AppliedRelease } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { conclude } from "./conclude.ts";
import { execute } from "./execute.ts";
import { keepApply } from "./keep_apply.ts";
import type { Memory } from "./memory.ts";
import type { Observed } from "./observe.ts";
import { linesOfServices } from "./watch_health.ts";
import { need, newWork } from "./work.ts";

type Flapping = Extract<Decision, { readonly kind: "flapping" }>;

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
    const broughtUp = broughtUpBy(found.repair);
    await conclude(agent, memory, { ...facts, ending: { kind: "repaired", released, broughtUp } });
  } else {
    await concludeFailure(agent, memory, { ...facts, applied, error, evidence: work.evidence });
  }
  return error;
}

/** Reports that repairs are paused, with the last lines of what does not stay up; gives the failure. */
export async function reportFlapping(
  agent: Agent,
  memory: Memory,
  { observed, decision }: { readonly observed: Observed; readonly decision: Flapping },
): Promise<AgentError> {
  const startedAt = agent.ports.clock.now();
  const applied = need(memory.state.applied, "an applied release");
  const { reason, until, services } = decision;
  const { repairs, windowMs } = FLAP_LIMIT;
  const error = new AgentError(
    "FLAPPING",
    `${repairs} repairs within ${windowMs / 1000} s have not helped: ${reason}; ` +
      `repairs pause until ${new Date(until).toISOString()}`,
  );
  await concludeFailure(agent, memory, {
    startedAt,
    cause: reason,
    steps: [],
    containers: observed.containers,
    applied,
    error,
    evidence: await linesOfServices(agent, services),
    // Before that, a try would be this failure once more.
    retryAt: until,
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
  /** Epoch milliseconds; left out: as failures are paced. */
  readonly retryAt?: number;
}

/** What only the next tick can mend is kept on the box and reported to nobody. */
async function concludeFailure(agent: Agent, memory: Memory, failure: Failure): Promise<void> {
  const { applied, error, evidence, retryAt, ...facts } = failure;
  const ending: Ending = {
    kind: "failed",
    sha: applied.sha,
    serial: applied.serial,
    ...toldFailure(error, evidence),
    secrets: memory.state.secrets,
    touched: false,
    ...(retryAt === undefined ? {} : { retryAt }),
  };
  if (error.reported) await conclude(agent, memory, { ...facts, ending });
  else await keepApply(agent, memory, { ...facts, ending });
}
