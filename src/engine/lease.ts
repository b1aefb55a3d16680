/**
 * A lease and what follows from it (SPEC §5): ask tenancy for a grant, trade it at OpenBao, keep the
 * token, and let the old one wait for its revocation. There are five leases an hour, so a grant
 * whose login OpenBao could not answer is kept and spent by the next tick.
 */

import type { Login } from "../clients/openbao.ts";
import { usableGrant, withUnspent } from "../core/session_change.ts";
import { AgentError, asAgentError } from "../errors.ts";
import { readGrant } from "../model/grant.ts";
import { Secret } from "../model/secret.ts";
import type { UnspentGrant } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { keepToken } from "./keep_token.ts";
import type { Memory } from "./memory.ts";
import { need } from "./work.ts";

/** Why a lease is asked for, as tenancy is told. */
export type LeaseReason = "apply" | "renew";

/** What a lease is for: why, and how many reads of secrets follow it at once. */
export interface LeasePurpose {
  readonly reason: LeaseReason;
  readonly readsAfter?: number;
}

/**
 * Swaps the token for one from a lease. Throws LEASE_RATE_LIMITED, LEGACY_LEASE_REFUSED,
 * AGENT_UNAUTHENTICATED, TENANCY_*, GRANT_*, BAO_*, DISK_FULL, FILE_UNWRITABLE; the token there was
 * is then still in place.
 */
export async function leaseToken(
  agent: Agent,
  memory: Memory,
  { reason, readsAfter = 0 }: LeasePurpose,
): Promise<void> {
  const { log, clock } = agent.ports;
  const kept = usableGrant(memory.session, clock.now());
  const spent = kept === null ? null : await spendKept(agent, memory, { grant: kept, readsAfter });
  const { grant, login } = spent ?? await spendNew(agent, memory, { reason, readsAfter });
  const origin = { source: "lease", claims: grant.claims } as const;
  await keepToken(agent, memory, { login, origin });
  log.write("info", "leased a token", { reason, ttl_s: login.ttlS });
}

interface Spent {
  readonly grant: UnspentGrant;
  readonly login: Login;
}

/** Gives null when OpenBao does not take the kept grant: then a fresh one has to do. */
async function spendKept(
  agent: Agent,
  memory: Memory,
  { grant, readsAfter }: { readonly grant: UnspentGrant; readonly readsAfter: number },
): Promise<Spent | null> {
  try {
    return { grant, login: await agent.bao.login(grant.value, { readsAfter }) };
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== "auth") throw error;
    agent.ports.log.write("warn", "a lease of before is of no use any more", { code: error.code });
    await memory.saveSession(withUnspent(memory.session, null));
    return null;
  }
}

async function spendNew(
  agent: Agent,
  memory: Memory,
  { reason, readsAfter }: Required<LeasePurpose>,
): Promise<Spent> {
  const grant = await askGrant(agent, memory, reason);
  try {
    return { grant, login: await agent.bao.login(grant.value, { readsAfter }) };
  } catch (thrown) {
    if (asAgentError(thrown).kind === "temporary") await keepUnspent(agent, memory, grant);
    throw thrown;
  }
}

async function askGrant(
  agent: Agent,
  memory: Memory,
  reason: LeaseReason,
): Promise<UnspentGrant> {
  const token = need(memory.session.token, "a token");
  const lease = await agent.tenancy.lease(token.value, reason);
  const value = new Secret(lease.grant);
  agent.mask.add(value);
  const reading = readGrant(lease.grant);
  if (!reading.ok) {
    throw new AgentError(
      "TENANCY_PROTOCOL",
      `the lease's grant cannot be used: ${reading.problem}`,
    );
  }
  if (reading.claims.envId !== agent.config.envId) {
    throw new AgentError("AGENT_ENV_MISMATCH", "tenancy leased a grant for another env_id");
  }
  return { value, claims: reading.claims };
}

/** A grant that cannot be kept costs one lease more; the login's failure is what is to be told. */
async function keepUnspent(agent: Agent, memory: Memory, grant: UnspentGrant): Promise<void> {
  try {
    await memory.saveSession(withUnspent(memory.session, grant));
  } catch (thrown) {
    const { code } = asAgentError(thrown);
    agent.ports.log.write("warn", "the leased grant cannot be kept for the next tick", { code });
  }
}
