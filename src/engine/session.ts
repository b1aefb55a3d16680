/**
 * Carries out what core/plan_session.ts says until it says keep or stop (SPEC §4.4): log in, renew,
 * swap, verify. A token is on disk before the grant it came from is gone and before the old one is
 * revoked, so a crash in between costs nothing.
 */

import { planSession, type SessionPlan } from "../core/plan_session.ts";
import { withFailedRenewal, withLife, withoutToken, withRenewal } from "../core/session_change.ts";
import type { GrantFacts, SessionDone, SessionFacts, TokenFacts } from "../core/session_facts.ts";
import type { GrantFileRead } from "../clients/grant_file.ts";
import { AgentError, asAgentError } from "../errors.ts";
import type { Token } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { bootstrap, removeUsedGrant } from "./bootstrap.ts";
import { leaseToken } from "./lease.ts";
import type { Memory } from "./memory.ts";
import { need } from "./work.ts";

/** A session that a tick can check in with. */
export interface OpenSession {
  readonly token: Token;
}

/** No action is planned twice, so the plans end; one more round than there are actions. */
const MAX_ROUNDS = 8;

interface Round {
  readonly agent: Agent;
  readonly memory: Memory;
  readonly found: GrantFileRead;
  done: SessionDone;
  tokenRejected: boolean;
  /** A tolerant action failed for now: what there is has to do. */
  settled: boolean;
}

/**
 * Gives a token to check in with. Throws GRANT_*, AGENT_UNAUTHENTICATED, BAO_* when there is none to
 * be had, each with the operator's next action.
 */
export async function openSession(
  agent: Agent,
  memory: Memory,
  facts: { readonly tokenRejected: boolean },
): Promise<OpenSession> {
  const round: Round = {
    agent,
    memory,
    found: await agent.grants.read(),
    done: {},
    tokenRejected: facts.tokenRejected,
    settled: false,
  };
  if (round.found.kind === "present") {
    for (const what of round.found.warnings) {
      agent.ports.log.write("warn", "found on start", { what });
    }
  }
  await removeUsedGrant(agent, memory, round.found);
  for (let rounds = 0; rounds < MAX_ROUNDS && !round.settled; rounds++) {
    const plan = planSession(sessionFacts(agent, memory, round));
    if (plan.kind === "keep") break;
    if (plan.kind === "stop") return await stop(round, plan);
    agent.ports.log.write("debug", "session", { action: plan.kind, why: plan.reason });
    await carryOut(round, plan);
  }
  return { token: need(memory.session.token, "a token") };
}

/** Gives what the planner of the session looks at. */
export function sessionFacts(
  agent: Agent,
  memory: Pick<Memory, "session">,
  known: Pick<Round, "found" | "done" | "tokenRejected">,
): SessionFacts {
  const { done, tokenRejected } = known;
  const { token, consumed, renewal } = memory.session;
  return {
    now: agent.ports.clock.now(),
    envId: agent.config.envId,
    token: token === null ? null : factsOfToken(token),
    tokenRejected,
    grant: grantFacts(known.found),
    consumed,
    renewal,
    renewBelowS: agent.config.bao.renewBelowS,
    done,
  };
}

/** Planners never see a token's value. */
export function factsOfToken(token: Token): TokenFacts {
  const { value: _value, accessor: _accessor, ...facts } = token;
  return facts;
}

function grantFacts(found: GrantFileRead): GrantFacts {
  switch (found.kind) {
    case "absent":
      return { kind: "absent" };
    case "unusable":
      return { kind: "unusable", code: found.error.code, message: found.error.message };
    case "present":
      return { kind: "present", claims: found.claims };
  }
}

async function stop(
  { agent, memory, found }: Round,
  plan: SessionPlan & { readonly kind: "stop" },
): Promise<never> {
  if (plan.dropToken) await memory.saveSession(withoutToken(memory.session));
  throw new AgentError(plan.code, plan.message, {
    data: { bootstrap_file: agent.config.bootstrapFile },
    ...(found.kind === "unusable" ? { hint: found.error.hint } : {}),
  });
}

type Act = Exclude<SessionPlan, { readonly kind: "keep" | "stop" }>;

async function carryOut(round: Round, plan: Act): Promise<void> {
  switch (plan.kind) {
    case "verify":
      return await verify(round);
    case "measureClock":
      return await measureClock(round);
    case "login":
      return await login(round, plan.tolerant);
    case "renew":
      return await renew(round);
    case "leaseAndSwap":
      return await swap(round);
  }
}

async function verify(round: Round): Promise<void> {
  const { agent, memory } = round;
  const token = need(memory.session.token, "a token");
  const lookup = await orNull(round, "OpenBao does not say whether the token lives", () => {
    return agent.bao.lookupSelf(token.value).then((found) => found ?? "dead");
  });
  const verified = lookup === null ? "unknown" : lookup === "dead" ? "dead" : "alive";
  round.done = { ...round.done, verified };
  if (lookup === null || lookup === "dead") return;
  await memory.saveSession(withLife(memory.session, lookup.ttlS, agent.ports.clock.now()));
}

async function measureClock(round: Round): Promise<void> {
  const health = await orNull(
    round,
    "the clock cannot be measured",
    () => round.agent.bao.health(),
  );
  round.done = { ...round.done, clockSkewS: health?.clockSkewS ?? 0 };
}

/** What OpenBao cannot answer proves nothing about a token (case 52), whatever kept it from it. */
async function orNull<T>(
  { agent }: Round,
  event: string,
  ask: () => Promise<T>,
): Promise<T | null> {
  try {
    return await ask();
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== "temporary" && error.kind !== "failed") throw error;
    agent.ports.log.write("warn", event, { code: error.code, why: error.message });
    return null;
  }
}

async function login(round: Round, tolerant: boolean): Promise<void> {
  const { agent, memory, found } = round;
  if (found.kind !== "present") {
    throw new AgentError("INTERNAL", "a login was planned without a grant");
  }
  const end = await bootstrap(agent, memory, { found, tolerant });
  if (end === "failed") round.settled = true;
  if (end !== "loggedIn") return;
  // What was found out about the token before says nothing about this one.
  round.done = {};
  round.tokenRejected = false;
}

async function renew(round: Round): Promise<void> {
  const { agent, memory } = round;
  const { clock, random, log } = agent.ports;
  const token = need(memory.session.token, "a token");
  const renewal = await orNull(round, "the renewal failed, the token still works", () => {
    return agent.bao.renewSelf(token.value);
  }) ?? { kind: "failed" as const };
  round.done = { ...round.done, renewal };
  if (renewal.kind === "granted") {
    const facts = { now: clock.now(), renewBelowS: agent.config.bao.renewBelowS };
    await memory.saveSession(withRenewal(memory.session, renewal.ttlS, facts));
    log.write("info", "token renewed", { ttl_s: renewal.ttlS });
    return;
  }
  // A refusal is paced like a failure, or each tick would ask in vain.
  const paced = { now: clock.now(), fraction: random.fraction() };
  await memory.saveSession(withFailedRenewal(memory.session, paced));
}

async function swap(round: Round): Promise<void> {
  const { agent, memory } = round;
  try {
    await leaseToken(agent, memory, { reason: "renew" });
    round.done = { ...round.done, swap: "done" };
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== "temporary") throw error;
    round.done = { ...round.done, swap: "deferred" };
    agent.ports.log.write("warn", "the swap is deferred, the token still works", {
      code: error.code,
      why: error.message,
    });
  }
}
