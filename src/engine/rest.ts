/**
 * The pause between two ticks of `run`: tenancy is asked to hold a check-in back until what it wants
 * changes (SPEC §8), so that a new release starts at once and no listener is needed. The lock is not
 * held meanwhile, and the tick that follows looks at everything anew.
 */

import { asAgentError } from "../errors.ts";
import type { Desired } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";
import { checkIn } from "./check_in.ts";
import { readMemory } from "./load.ts";
import { observeContainers } from "./observe.ts";

/** How long one check-in is held at most: servers and proxies in between commonly cut at 60 s. */
const LONGEST_HOLD_S = 50;
/** A reply without news that comes sooner was not held: asking again would only make traffic. */
const SHORTEST_HOLD_MS = 1_000;

/** What a pause is made of. */
export interface Pause {
  readonly pauseMs: number;
  /** What tenancy wanted in the tick before; null: it did not say, so it is not asked. */
  readonly desired: Desired | null;
  /** News waits this long before it ends the pause, at most to the pause's end. */
  readonly holdBackMs: number;
  /** Ends the pause at once. */
  readonly signal: AbortSignal;
}

/** Waits to the pause's end, or until tenancy wants something else; says whether it does. Throws nothing. */
export async function rest(agent: Agent, pause: Pause): Promise<boolean> {
  const { clock } = agent.ports;
  const { desired, signal } = pause;
  const end = clock.monotonic() + pause.pauseMs;
  const leftMs = (): number => Math.max(0, end - clock.monotonic());
  while (desired !== null && !signal.aborted) {
    const waitS = Math.min(Math.floor(leftMs() / 1000), LONGEST_HOLD_S);
    if (waitS < 1) break;
    const askedAt = clock.monotonic();
    const wanted = await askHeld(agent, waitS, signal);
    if (wanted === null) break;
    if (!isSame(wanted, desired)) {
      await clock.sleep(Math.min(pause.holdBackMs, leftMs()), signal);
      return true;
    }
    if (clock.monotonic() - askedAt < SHORTEST_HOLD_MS) break;
  }
  await clock.sleep(leftMs(), signal);
  return false;
}

/** Gives what tenancy wants, or null when that cannot be known now: the next tick will say why. */
async function askHeld(agent: Agent, waitS: number, signal: AbortSignal): Promise<Desired | null> {
  try {
    const { state, session } = await readMemory(agent, { repair: false });
    if (session.token === null) return null;
    const { containers } = await observeContainers(agent);
    const facts = { state, containers, waitS, signal };
    return (await checkIn(agent, session.token.value, facts)).desired;
  } catch (thrown) {
    agent.ports.log.write("debug", "no news", { code: asAgentError(thrown).code });
    return null;
  }
}

function isSame(one: Desired, other: Desired): boolean {
  if (one.state === "absent" || other.state === "absent") return one.state === other.state;
  return one.sha === other.sha && one.serial === other.serial;
}
