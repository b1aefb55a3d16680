/**
 * The end of every deploy that did something (SPEC §4.9): settle, write the state, then report. A
 * crash in between sends the report again with the next tick instead of deploying again.
 */

import { servicesOf } from "../core/services.ts";
import { type Ending, settle } from "../core/settle.ts";
import { asAgentError } from "../errors.ts";
import type { Container } from "../model/containers.ts";
import type { StepReport } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { keepApply } from "./keep_apply.ts";
import type { Memory } from "./memory.ts";
import { deliverReports } from "./outbox.ts";

/** What the report tells besides the ending. */
export interface ConcludeFacts {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Why the tick did it, for the history. */
  readonly cause: string;
  readonly steps: readonly StepReport[];
  readonly containers: readonly Container[];
}

/** Writes the state and sends the report. Throws only when the state cannot be written. */
export async function conclude(
  agent: Agent,
  memory: Memory,
  end: ConcludeFacts & { readonly ending: Ending },
): Promise<void> {
  const { clock, random, log } = agent.ports;
  await keepApply(agent, memory, end);
  await memory.saveState(settle(memory.state, end.ending, {
    reportId: random.uuid(),
    agentVersion: agent.version,
    tokenSource: memory.session.token?.source ?? null,
    startedAt: end.startedAt,
    finishedAt: clock.now(),
    steps: end.steps,
    services: servicesOf(end.containers),
  }));
  const { token } = memory.session;
  if (token === null) return;
  try {
    await deliverReports(agent, memory, token.value);
  } catch (thrown) {
    const { code, message } = asAgentError(thrown);
    log.write("warn", "report kept for the next tick", { code, why: message });
  }
}
