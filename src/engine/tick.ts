/**
 * One tick, top to bottom (SPEC §4). The only file that knows the whole order.
 */

import { decide, type Decision, short } from "../core/decide.ts";
import { settleConverged } from "../core/settle_converged.ts";
import { type AgentError, asAgentError, hasCode } from "../errors.ts";
import type { AgentState } from "../model/state.ts";
import type { CheckinReply, Desired } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";
import { checkIn } from "./check_in.ts";
import { readMemory } from "./load.ts";
import type { Memory } from "./memory.ts";
import { observeContainers, type Observed } from "./observe.ts";
import { deliverReports } from "./outbox.ts";
import { revokeOldTokens } from "./revoke.ts";
import { type OpenSession, openSession } from "./session.ts";
import { keepEnd, type Seen } from "./tick_end.ts";

/** How a tick is asked for. */
export interface TickOptions {
  /** `--now`: a failed release is tried again at once. */
  readonly force: boolean;
  /** Ends a check-in that is under way; `run` gives it, a `tick` just dies. */
  readonly signal?: AbortSignal;
}

/** How a tick ended. */
export interface TickEnd {
  readonly decision: Decision["kind"];
  /** Null: done, or nothing to do. */
  readonly error: AgentError | null;
  /** Seconds until tenancy wants the next check-in, when it said so. */
  readonly intervalS: number | null;
  /** What tenancy wanted; null when it did not say. */
  readonly desired: Desired | null;
}

/** Runs one tick under the lock. Throws what stops it before there is a decision. */
export async function tick(agent: Agent, options: TickOptions): Promise<TickEnd> {
  const { stateDir } = agent.config;
  await agent.ports.files.makeDir(stateDir, 0o700);
  const lock = await agent.ports.lock.acquire(`${stateDir}/lock`);
  const seen: Seen = { memory: null, desired: null, containers: null };
  try {
    return await keepEnd(agent, seen, () => lockedTick(agent, options, seen));
  } finally {
    lock.release();
  }
}

async function lockedTick(agent: Agent, options: TickOptions, seen: Seen): Promise<TickEnd> {
  const startedAt = agent.ports.clock.monotonic();
  const memory = await readMemory(agent, { repair: true });
  seen.memory = memory;
  const observed = await observeContainers(agent);
  if (observed.error === null) seen.containers = observed.containers;
  const { reply, session } = await openAndCheckIn(agent, memory, { observed, options });
  seen.desired = reply.desired;
  // Without the list nothing can be decided: an unseen container is not a missing one.
  if (observed.error !== null) throw observed.error;

  const decided = decide({
    now: agent.ports.clock.now(),
    force: options.force,
    desired: reply.desired,
    state: memory.state,
    containers: observed.containers,
    releaseOnDisk: await isReleaseOnDisk(agent, memory),
    restores: agent.config.onFailure === "restore",
  });
  const { state } = memory;
  const decision = await repairChecked(agent, { decision: decided, desired: reply.desired, state });
  const error = await carryOut(agent, { decision, reply, memory, observed, session });
  await revokeOldTokens(agent, memory);
  sayEnd(agent, { decision, memory, error, ms: agent.ports.clock.monotonic() - startedAt });
  return {
    decision: decision.kind,
    error,
    intervalS: reply.intervalS,
    desired: reply.desired,
  };
}

/** A converged tick loads nothing more, reads nothing more, and asks the Engine nothing more. */
async function repairChecked(
  agent: Agent,
  facts: { readonly decision: Decision; readonly desired: Desired; readonly state: AgentState },
): Promise<Decision> {
  if (facts.decision.kind !== "repair") return facts.decision;
  const { repairOrApply } = await import("./repair_or_apply.ts");
  return await repairOrApply(agent, facts);
}

interface CheckedIn {
  readonly reply: CheckinReply;
  readonly session: OpenSession;
}

/**
 * Session, kept reports, check-in. Tenancy's 401 opens the session once more, with that fact: the
 * only bend of the line, and bounded by the number of turns.
 */
async function openAndCheckIn(
  agent: Agent,
  memory: Memory,
  { observed, options }: { readonly observed: Observed; readonly options: TickOptions },
): Promise<CheckedIn> {
  const { signal } = options;
  let tokenRejected = false;
  while (true) {
    const session = await openSession(agent, memory, { tokenRejected });
    try {
      if (memory.state.outbox.length > 0) {
        await deliverReports(agent, memory, session.token.value);
      }
      const facts = {
        state: memory.state,
        containers: observed.containers,
        ...(signal === undefined ? {} : { signal }),
      };
      return { reply: await checkIn(agent, session.token.value, facts), session };
    } catch (thrown) {
      if (tokenRejected || !hasCode(thrown, "AGENT_UNAUTHENTICATED")) throw thrown;
      agent.ports.log.write("warn", "tenancy refuses the token", { code: thrown.code });
      tokenRejected = true;
    }
  }
}

async function isReleaseOnDisk(agent: Agent, memory: Memory): Promise<boolean> {
  const { applied } = memory.state;
  return applied !== null && await agent.releases.isComplete(applied.sha);
}

interface Turn {
  readonly decision: Decision;
  readonly reply: CheckinReply;
  readonly memory: Memory;
  readonly observed: Observed;
  readonly session: OpenSession;
}

/** What acts is loaded when there is something to do: a converged tick pays for none of it. */
async function carryOut(agent: Agent, turn: Turn): Promise<AgentError | null> {
  const { decision, memory, observed, reply } = turn;
  const { log } = agent.ports;
  switch (decision.kind) {
    case "nothing":
      // A crash loop that the Engine restarts is no success of an earlier repair.
      if (decision.left !== true) {
        await memory.saveState(settleConverged(memory.state, reply.desired));
      }
      return null;
    case "wait": {
      const until = decision.until === null
        ? "another release is desired"
        : new Date(decision.until).toISOString();
      const { failed } = memory.state;
      const sha = failed === null ? undefined : short(failed.sha);
      log.write("warn", "waiting", { sha, why: decision.reason, until });
      return null;
    }
    case "restore": {
      const { restoreApplied } = await import("./restore.ts");
      await restoreApplied(agent, memory);
      return null;
    }
    case "remove": {
      log.write("info", "removing", { why: decision.reason });
      const { removeProject } = await import("./remove.ts");
      return await removeProject(agent, memory, { observed, reason: decision.reason });
    }
    case "flapping": {
      const { reportFlapping } = await import("./repair.ts");
      return await reportFlapping(agent, memory, { observed, decision });
    }
    case "repair": {
      log.write("info", "repairing", { why: decision.reason });
      const { repairApplied } = await import("./repair.ts");
      const { reason, repair } = decision;
      return await repairApplied(agent, memory, { observed, repair, reason });
    }
    case "apply": {
      const serial = reply.desired.state === "present" ? reply.desired.serial : null;
      log.write("info", "applying", { sha: short(decision.sha), serial, why: decision.reason });
      const { applyDesired } = await import("./apply.ts");
      const { sha, reason } = decision;
      return await applyDesired(agent, memory, { sha, serial, reason, observed });
    }
  }
}

interface End {
  readonly decision: Decision;
  readonly memory: Memory;
  readonly error: AgentError | null;
  readonly ms: number;
}

/** The one line that a converged tick leaves in the journal. */
function sayEnd(agent: Agent, { decision, memory, error, ms }: End): void {
  const { applied } = memory.state;
  const fields = {
    sha: applied === null ? undefined : short(applied.sha),
    serial: applied?.serial ?? undefined,
    why: decision.kind === "nothing" ? decision.reason : undefined,
    ms: Math.round(ms),
  };
  if (error === null && decision.kind === "nothing") {
    const event = decision.left === true ? "left to the Engine" : "converged";
    agent.ports.log.write("info", event, fields);
  } else if (error === null && decision.kind !== "wait") {
    agent.ports.log.write("info", "done", fields);
  }
}

/** Takes what a tick threw; gives how it ended. */
export function endOf(thrown: unknown): TickEnd {
  return { decision: "nothing", error: asAgentError(thrown), intervalS: null, desired: null };
}
