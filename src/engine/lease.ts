/**
 * A lease and what follows from it (SPEC §5): ask tenancy for a grant, trade it at OpenBao, keep the
 * token, and let the old one wait for its revocation.
 */

import { withToken } from "../core/session_change.ts";
import { AgentError } from "../errors.ts";
import { readGrant } from "../model/grant.ts";
import { Secret } from "../model/secret.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";
import { need } from "./work.ts";

/**
 * Swaps the token for one from a lease. Throws LEASE_RATE_LIMITED, LEGACY_LEASE_REFUSED,
 * AGENT_UNAUTHENTICATED, TENANCY_*, GRANT_*, BAO_*; the token there was is then still in place.
 */
export async function leaseToken(
  agent: Agent,
  memory: Memory,
  reason: "apply" | "renew",
): Promise<void> {
  const { log, clock } = agent.ports;
  const token = need(memory.session.token, "a token");
  const lease = await agent.tenancy.lease(token.value, reason);
  const grant = new Secret(lease.grant);
  agent.mask.add(grant);
  const reading = readGrant(lease.grant);
  if (!reading.ok) {
    throw new AgentError(
      "TENANCY_PROTOCOL",
      `the lease's grant cannot be used: ${reading.problem}`,
    );
  }
  const { claims } = reading;
  if (claims.envId !== agent.config.envId) {
    throw new AgentError("AGENT_ENV_MISMATCH", "tenancy leased a grant for another env_id");
  }
  const gained = await agent.bao.login(grant);
  const facts = { now: clock.now(), renewBelowS: agent.config.bao.renewBelowS };
  const { token: value, accessor, ttlS } = gained;
  await memory.saveSession(
    withToken(memory.session, { value, accessor, ttlS, source: "lease", claims }, facts),
  );
  log.write("info", "leased a token", { reason, ttl_s: ttlS });
}
