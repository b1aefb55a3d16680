/** Keeping what an apply did for `history`. Whoever deploys does not fail for want of a diary. */

import { addApply, recordOf } from "../core/keep_applies.ts";
import type { Ending } from "../core/settle.ts";
import { asAgentError } from "../errors.ts";
import type { StepReport } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";

/** What an entry tells. */
export interface KeepFacts {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly steps: readonly StepReport[];
  /** Why the tick did it. */
  readonly cause: string;
  readonly ending: Ending;
}

/**
 * Adds the apply to history.json, before the state says how it ended: a tick that is killed in
 * between does the whole again. Throws nothing.
 */
export async function keepApply(agent: Agent, memory: Memory, facts: KeepFacts): Promise<void> {
  const { ending, ...told } = facts;
  try {
    const entry = recordOf(memory.state, ending, {
      ...told,
      finishedAt: agent.ports.clock.now(),
      tokenSource: memory.session.token?.source ?? null,
    });
    await agent.journal.writeApplies(addApply(await agent.journal.applies() ?? [], entry));
  } catch (thrown) {
    const { code, message } = asAgentError(thrown);
    agent.ports.log.write("warn", "the history could not be kept", { code, why: message });
  }
}
