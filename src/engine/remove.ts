/** Desired absent (SPEC §4): down from labels alone, looked at afterwards, reported. */

import { toldFailure } from "../core/describe.ts";
import { isDue } from "../core/pacing.ts";
import { planRemove } from "../core/plan.ts";
import type { Ending } from "../core/settle.ts";
import type { AgentError } from "../errors.ts";
import type { AgentState } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { conclude } from "./conclude.ts";
import { execute } from "./execute.ts";
import { keepApply } from "./keep_apply.ts";
import type { Memory } from "./memory.ts";
import type { Observed } from "./observe.ts";
import { newWork } from "./work.ts";

/** Removes the project; gives what went wrong, or null. */
export async function removeProject(
  agent: Agent,
  memory: Memory,
  { observed, reason }: { readonly observed: Observed; readonly reason: string },
): Promise<AgentError | null> {
  const startedAt = agent.ports.clock.now();
  const { applied } = memory.state;
  const sha = applied?.sha ?? "";
  const work = newWork({ memory, sha, bundle: null, env: null, containers: observed.containers });
  const steps = planRemove(agent.config.volumesOnAbsent === "remove");
  const execution = await execute(agent, steps, work);
  const facts = {
    startedAt,
    cause: reason,
    steps: execution.steps,
    containers: work.containers,
  };
  const error = execution.failure?.error ?? null;
  if (error === null) {
    await conclude(agent, memory, { ...facts, ending: { kind: "removed" } });
  } else if (applied !== null) {
    const ending: Ending = {
      kind: "failed",
      sha: applied.sha,
      serial: applied.serial,
      ...toldFailure(error, work.evidence),
      secrets: [],
      touched: true,
    };
    const isReported = error.reported && isNews(agent, memory.state, error);
    if (isReported) await conclude(agent, memory, { ...facts, ending });
    else await keepApply(agent, memory, { ...facts, ending });
  }
  return error;
}

/**
 * A removal is tried with every tick, but what stands in its way is reported at the rate of a failed
 * release, not once a minute for as long as it stands there.
 */
function isNews(agent: Agent, { applied, failed }: AgentState, error: AgentError): boolean {
  return failed === null || failed.sha !== applied?.sha || failed.code !== error.code ||
    isDue(failed, agent.ports.clock.now());
}
