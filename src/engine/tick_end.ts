/**
 * What stays of a tick for those who look later: what was desired, why the tick could not do its
 * work, the metrics. Nothing here decides anything, so nothing here fails a tick; a tick that ends
 * as the one before writes nothing but metrics, and those only where the config asks for them.
 */

import { type AgentError, asAgentError } from "../errors.ts";
import type { Container } from "../model/containers.ts";
import { type LastDesired, lastDesiredOf, type Trouble } from "../model/last_tick.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";
import type { KeptEnd } from "./metrics.ts";

/** What a tick has found out so far; filled in as it goes. */
export interface Seen {
  memory: Memory | null;
  /** Null: tenancy did not say. */
  desired: LastDesired | null;
  /** Null: the Engine could not be asked. */
  containers: readonly Container[] | null;
}

/** Runs the tick and keeps how it ended; gives and throws what the tick does. */
export async function keepEnd<T extends KeptEnd>(
  agent: Agent,
  seen: Seen,
  run: () => Promise<T>,
): Promise<T> {
  const { clock } = agent.ports;
  const startedAt = clock.monotonic();
  try {
    const end = await run();
    await keep(agent, seen, { end, ms: clock.monotonic() - startedAt });
    return end;
  } catch (thrown) {
    const end = { decision: "none", error: asAgentError(thrown) };
    await keep(agent, seen, { end, ms: clock.monotonic() - startedAt });
    throw thrown;
  }
}

async function keep(
  agent: Agent,
  seen: Seen,
  facts: { readonly end: KeptEnd; readonly ms: number },
): Promise<void> {
  // A state that cannot be read, or is another box's, is not written to.
  if (seen.memory === null) return;
  const { end, ms } = facts;
  await keepLastTick(agent, seen, end.error);
  if (agent.config.metricsTextfile === null) return;
  const { writeMetrics } = await import("./metrics.ts");
  await writeMetrics(agent, { memory: seen.memory, containers: seen.containers, end, ms });
}

/**
 * Writes what changed since the last tick. A failure that counts against a release stands in the
 * state; a stopped tick is no trouble.
 */
async function keepLastTick(agent: Agent, seen: Seen, error: AgentError | null): Promise<void> {
  const { journal, ports } = agent;
  const isTrouble = error !== null && !error.reported && error.code !== "INTERRUPTED";
  const desired = seen.desired === null ? null : lastDesiredOf(seen.desired);
  try {
    // What a converged tick comes to: nothing is parsed, nothing written.
    if (!isTrouble && await journal.isLastTick({ desired, trouble: null })) return;
    const before = await journal.lastTick();
    const next = {
      desired: desired ?? before?.desired ?? null,
      trouble: isTrouble ? troubleOf(error, before?.trouble ?? null, ports.clock.now()) : null,
    };
    if (!await journal.isLastTick(next)) await journal.writeLastTick(next);
  } catch (thrown) {
    ports.log.write("debug", "the last tick is not kept", { code: asAgentError(thrown).code });
  }
}

/** The same trouble goes on since it began, whatever its message says this time. */
function troubleOf(error: AgentError, before: Trouble | null, now: number): Trouble {
  if (before?.code === error.code) return before;
  const { code, message, hint } = error;
  return { code, message, hint, since: new Date(now).toISOString() };
}
