/**
 * `run`: ticks for ever with a pause in between, until SIGTERM. A tick that fails is one line in the
 * journal and the next one's business; a config that is no good leaves the one before in force.
 */

import { ungranted } from "../core/grants.ts";
import { pauseMs } from "../core/pause.ts";
import { minimalPermissions, type Permissions, permissionsOf } from "../core/permissions.ts";
import { AgentError, asAgentError } from "../errors.ts";
import type { Config } from "../model/config.ts";
import type { Reloads } from "../ports.ts";
import type { Agent } from "./agent.ts";
import { forgiveOffline } from "./laptop.ts";
import { rest } from "./rest.ts";
import { endOf, tick, type TickEnd } from "./tick.ts";

/** What the loop needs besides its agent. */
export interface LoopOptions {
  /** The config file, absolute. */
  readonly configPath: string;
  /** Gets each failure. */
  readonly say: (error: AgentError) => void;
  readonly reloads: Reloads;
  /**
   * Reads the config and gives its agent, in place of the one before. `accept` gets the config as
   * parsed and may refuse it by throwing; the one before then stays as it is.
   */
  readonly open: (accept: (config: Config) => void) => Promise<Agent>;
  /**
   * Gives an agent of the same config in place of the one before when a file that it names holds
   * something else now, as a CA that was replaced, or null. Left out: nobody looks.
   */
  readonly refresh?: () => Promise<Agent | null>;
}

/** News that led to nothing is followed by longer and longer waits, to this many doublings of 1 s. */
const MAX_DOUBLINGS = 12;

/** Ticks until the stop signal. Throws what opening the first config throws, and nothing later. */
export async function runLoop(options: LoopOptions): Promise<void> {
  const { configPath } = options;
  let granted = minimalPermissions({ configPath });
  let agent = await options.open((config) => {
    granted = permissionsOf(config, { configPath });
  });
  const { random, signals, log } = agent.ports;
  const { stop } = signals;
  let reload = options.reloads.next();
  let failures = 0;
  let emptyNews = 0;
  let woken = false;
  log.write("info", "running", { every_s: agent.config.intervalS });
  while (!stop.aborted) {
    const end = await tick(agent, { force: false, signal: stop }).catch(endOf);
    const error = await forgiveOffline(agent, end.error).catch(asAgentError);
    if (error !== null && stop.aborted && error.code === "INTERRUPTED") {
      // Asked for, so it is nobody's fault; what an apply left half done stands in the state.
      log.write("info", "stopped in the middle of a tick", { code: error.code });
    } else if (error !== null) options.say(error);
    failures = isPassing(error) ? failures + 1 : 0;
    emptyNews = woken && isIdle(end) ? emptyNews + 1 : 0;
    const { intervalS, bao } = agent.config;
    const pause = {
      pauseMs: pauseMs({
        intervalS,
        wishS: end.intervalS,
        renewBelowS: bao.renewBelowS,
        failures,
        fraction: random.fraction(),
      }),
      desired: end.desired,
      holdBackMs: emptyNews === 0 ? 0 : 1000 * 2 ** (Math.min(emptyNews, MAX_DOUBLINGS) - 1),
    };
    woken = await untilEither(
      [stop, reload],
      async (signal) => await rest(agent, { ...pause, signal }),
    );
    if (reload.aborted && !stop.aborted) {
      // Taken first: a hangup that comes while the config is read is not lost.
      reload = options.reloads.next();
      agent = await reopened(agent, granted, options);
    } else if (!stop.aborted) agent = await refreshed(agent, options);
  }
  log.write("info", "stopped", { by: String(stop.reason) });
}

/** A remote that is away comes back by itself; a lock is held by somebody who is working. */
function isPassing(error: AgentError | null): boolean {
  return error !== null && error.kind === "temporary" && error.code !== "LOCK_HELD";
}

function isIdle({ decision }: TickEnd): boolean {
  return decision === "nothing" || decision === "wait";
}

/** Lends a signal that aborts with the first of the others, and leaves no listener on them. */
async function untilEither<T>(
  signals: readonly AbortSignal[],
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const onAbort = (): void => either.abort();
  for (const signal of signals) {
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  }
  try {
    return await use(either.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", onAbort);
  }
}

async function reopened(
  agent: Agent,
  granted: Permissions,
  { configPath, open, say }: LoopOptions,
): Promise<Agent> {
  const { log } = agent.ports;
  try {
    const next = await open((config) => refuseUngranted(config, { granted, configPath }));
    log.write("info", "config read again", { every_s: next.config.intervalS });
    return next;
  } catch (thrown) {
    log.write("warn", "the config was not taken, the one before stays in force", {
      file: configPath,
    });
    say(asAgentError(thrown));
    return agent;
  }
}

/** What each tick of the timer would read anew, `run` reads before its next one. */
async function refreshed(agent: Agent, { refresh, say }: LoopOptions): Promise<Agent> {
  const { log } = agent.ports;
  try {
    const next = await refresh?.() ?? null;
    if (next !== null) log.write("info", "files of the config read again", {});
    return next ?? agent;
  } catch (thrown) {
    log.write(
      "warn",
      "a file of the config was not taken, what was read before stays in force",
      {},
    );
    say(asAgentError(thrown));
    return agent;
  }
}

/** The process keeps the grants that it was started with: a config that needs others is for a restart. */
function refuseUngranted(
  config: Config,
  { granted, configPath }: { readonly granted: Permissions; readonly configPath: string },
): void {
  const missing = ungranted(granted, permissionsOf(config, { configPath }));
  if (missing.length === 0) return;
  const list = missing.join(", ");
  throw new AgentError("CONFIG_NEEDS_RESTART", `the new config needs more grants: ${list}`);
}
