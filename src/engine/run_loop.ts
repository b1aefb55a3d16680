/**
 * `run`: ticks for ever with a pause in between, until SIGTERM. The pause is the timer's (SPEC §4);
 * a tick that fails is one line in the journal and the next one's business.
 */

import { pauseMs } from "../core/pause.ts";
import { type AgentError, asAgentError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { forgiveOffline } from "./laptop.ts";
import { endOf, tick } from "./tick.ts";

/** Ticks until the stop signal; `say` gets each failure. Throws nothing. */
export async function runLoop(agent: Agent, say: (error: AgentError) => void): Promise<void> {
  const { clock, random, signals, log } = agent.ports;
  log.write("info", "running", { every_s: agent.config.intervalS });
  while (!signals.stop.aborted) {
    const { error: failure, intervalS } = await tick(agent, { force: false }).catch(endOf);
    const error = await forgiveOffline(agent, failure).catch(asAgentError);
    if (error !== null) say(error);
    const wait = pauseMs(intervalS ?? agent.config.intervalS, random.fraction());
    await clock.sleep(wait, signals.stop);
  }
  log.write("info", "stopped", { by: String(signals.stop.reason) });
}
