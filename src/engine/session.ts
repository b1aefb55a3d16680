/**
 * Carries out what core/plan_session.ts says until it says keep or stop (SPEC §4.4): log in, renew,
 * swap, verify. A token is on disk before the grant it came from is gone and before the old one is
 * revoked, so a crash in between costs nothing.
 */

import { planSession, type SessionPlan } from "../core/plan_session.ts";
import {
  withConsumed,
  withFailedRenewal,
  withLife,
  withoutToken,
  withRenewal,
  withRevoke,
  withToken,
} from "../core/session_change.ts";
import type { GrantFacts, SessionDone, SessionFacts, TokenFacts } from "../core/session_facts.ts";
import type { GrantFileRead } from "../clients/grant_file.ts";
import type { Login } from "../clients/openbao.ts";
import { AgentError, asAgentError } from "../errors.ts";
import type { GrantClaims } from "../model/grant.ts";
import type { Secret } from "../model/secret.ts";
import type { Token } from "../model/state.ts";
import type { Agent } from "./agent.ts";
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
  memory: Memory,
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
  { memory }: Round,
  plan: SessionPlan & { readonly kind: "stop" },
): Promise<never> {
  if (plan.dropToken) await memory.saveSession(withoutToken(memory.session));
  throw new AgentError(plan.code, plan.message);
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
  try {
    const lookup = await agent.bao.lookupSelf(token.value);
    round.done = { ...round.done, verified: lookup === null ? "dead" : "alive" };
    if (lookup !== null) {
      await memory.saveSession(withLife(memory.session, lookup.ttlS, agent.ports.clock.now()));
    }
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== "temporary") throw error;
    round.done = { ...round.done, verified: "unknown" };
  }
}

async function measureClock(round: Round): Promise<void> {
  let clockSkewS = 0;
  try {
    clockSkewS = (await round.agent.bao.health()).clockSkewS;
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== "temporary") throw error;
  }
  round.done = { ...round.done, clockSkewS };
}

async function login(round: Round, tolerant: boolean): Promise<void> {
  const { agent, memory, found } = round;
  if (found.kind !== "present") {
    throw new AgentError("INTERNAL", "a login was planned without a grant");
  }
  const gained = tolerant
    ? await tryLogin(round, found.grant, found.claims)
    : await agent.bao.login(found.grant);
  if (gained === null) return;
  const { log, clock } = agent.ports;
  const { token: value, accessor, ttlS } = gained;
  await memory.saveSession(
    withToken(memory.session, {
      value,
      accessor,
      ttlS,
      source: "bootstrap",
      claims: found.claims,
    }, { now: clock.now(), renewBelowS: agent.config.bao.renewBelowS }),
  );
  // What was found out about the token before says nothing about this one.
  round.done = {};
  round.tokenRejected = false;
  log.write("info", "logged in with the bootstrap grant", { ttl_s: ttlS });
  for (const warning of gained.warnings) log.write("warn", "OpenBao warns", { what: warning });
  if (!await agent.grants.remove()) {
    log.write("warn", "the bootstrap grant cannot be removed; it is remembered as used", {
      file: agent.config.bootstrapFile,
    });
  }
}

/** A token works already: a grant that gives none is a warning, and one refused for good is not offered again. */
async function tryLogin(
  round: Round,
  grant: Secret,
  claims: GrantClaims,
): Promise<Login | null> {
  const { agent, memory } = round;
  try {
    return await agent.bao.login(grant);
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind === "bug" || error.kind === "config") throw error;
    agent.ports.log.write("warn", "the newer grant gave no token, the one there is still works", {
      code: error.code,
      why: error.message,
    });
    if (error.kind === "temporary") round.settled = true;
    else await memory.saveSession(withConsumed(memory.session, claims.jti));
    return null;
  }
}

async function renew(round: Round): Promise<void> {
  const { agent, memory } = round;
  const { clock, random, log } = agent.ports;
  const token = need(memory.session.token, "a token");
  try {
    const renewal = await agent.bao.renewSelf(token.value);
    round.done = { ...round.done, renewal };
    if (renewal.kind !== "granted") {
      // Paced like a failure, or each tick would ask in vain.
      const paced = { now: clock.now(), fraction: random.fraction() };
      await memory.saveSession(withFailedRenewal(memory.session, paced));
      return;
    }
    const facts = { now: clock.now(), renewBelowS: agent.config.bao.renewBelowS };
    await memory.saveSession(withRenewal(memory.session, renewal.ttlS, facts));
    log.write("info", "token renewed", { ttl_s: renewal.ttlS });
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== "temporary") throw error;
    const facts = { now: clock.now(), fraction: random.fraction() };
    await memory.saveSession(withFailedRenewal(memory.session, facts));
    round.done = { ...round.done, renewal: { kind: "failed" } };
    log.write("warn", "the renewal failed, the token still works", {
      code: error.code,
      failures: memory.session.renewal.failures,
    });
  }
}

async function swap(round: Round): Promise<void> {
  const { agent, memory } = round;
  try {
    await leaseToken(agent, memory, "renew");
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

/** Revokes what was replaced (SPEC §5): best effort, kept until OpenBao confirms it. */
export async function revokeOldTokens(agent: Agent, memory: Memory): Promise<void> {
  const { log } = agent.ports;
  for (const old of memory.session.revoke) {
    try {
      const revocation = await agent.bao.revokeSelf(old.value);
      if (revocation === "forbidden") {
        log.write("warn", "an old token may not revoke itself; it ends by its own time", {
          accessor: old.accessor,
        });
      }
    } catch (thrown) {
      const error = asAgentError(thrown);
      if (error.code !== "BAO_REFUSED" && error.kind !== "temporary") throw error;
      log.write("info", "an old token is revoked later", { code: error.code });
      return;
    }
    const left = memory.session.revoke.filter((each) => each !== old);
    await memory.saveSession(withRevoke(memory.session, left));
  }
}
