/** A check-in with what is known of the box (SPEC §3). */

import type { CheckinOptions } from "../clients/tenancy.ts";
import { servicesOf } from "../core/services.ts";
import type { Container } from "../model/containers.ts";
import type { Secret } from "../model/secret.ts";
import type { AgentState } from "../model/state.ts";
import { checkinBody, type CheckinReply } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";

/** What tenancy is told. */
export interface CheckInFacts {
  readonly state: AgentState;
  readonly containers: readonly Container[];
}

/**
 * Tells tenancy what runs; gives what it wants, with `waitS` perhaps only when that changes. Throws
 * the codes of SPEC §3's table, TENANCY_*, and INTERRUPTED when the signal aborts.
 */
export async function checkIn(
  agent: Agent,
  token: Secret,
  { waitS, signal, ...facts }: CheckInFacts & CheckinOptions,
): Promise<CheckinReply> {
  const { site, transport } = agent.config;
  const body = checkinBody({
    state: facts.state,
    services: servicesOf(facts.containers),
    site,
    transport,
    agentVersion: agent.version,
    waitS: waitS ?? null,
  });
  return await agent.tenancy.checkin(token, body, {
    ...(waitS === undefined ? {} : { waitS }),
    ...(signal === undefined ? {} : { signal }),
  });
}
