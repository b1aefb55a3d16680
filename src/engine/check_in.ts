/** A check-in with what is known of the box (SPEC §3). */

import { servicesOf } from "../core/services.ts";
import type { Container } from "../model/containers.ts";
import type { Secret } from "../model/secret.ts";
import type { AgentState } from "../model/state.ts";
import { checkinBody, type CheckinReply } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";

/** Tells tenancy what runs; gives what it wants. Throws the codes of SPEC §3's table, TENANCY_*. */
export async function checkIn(
  agent: Agent,
  token: Secret,
  facts: { readonly state: AgentState; readonly containers: readonly Container[] },
): Promise<CheckinReply> {
  const { site, transport } = agent.config;
  const body = checkinBody({
    state: facts.state,
    services: servicesOf(facts.containers),
    site,
    transport,
    agentVersion: agent.version,
  });
  return await agent.tenancy.checkin(token, body);
}
