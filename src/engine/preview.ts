/**
 * `plan`: what a tick would do and why. Checks in, and fetches the bundle when one would be applied;
 * writes nothing, leases nothing, starts nothing. A session that would have to be opened first is
 * told and not opened.
 */

import { decide, type Decision } from "../core/decide.ts";
import { planApply, planRemove, planRepairSteps } from "../core/plan.ts";
import { planSession, type SessionPlan } from "../core/plan_session.ts";
import type { Step } from "../core/step.ts";
import { type AgentError, asAgentError } from "../errors.ts";
import type { Desired } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";
import { acceptBundle, fetchBundle } from "./apply.ts";
import { checkIn } from "./check_in.ts";
import { readMemory } from "./load.ts";
import type { Memory } from "./memory.ts";
import { observeContainers, type Observed } from "./observe.ts";
import { sessionFacts } from "./session.ts";

/** What a tick would do. */
export interface Preview {
  readonly session: SessionPlan;
  /** Null: the session has to be opened before tenancy can be asked. */
  readonly decision: Decision | null;
  readonly steps: readonly Step[];
  /** The bundle would be refused, or cannot be had. */
  readonly refusal: AgentError | null;
}

/** Looks and plans. Throws what stops a tick before there is a decision. */
export async function previewTick(agent: Agent): Promise<Preview> {
  const memory = await readMemory(agent, { repair: false });
  const facts = sessionFacts(agent, memory, {
    found: await agent.grants.read({ repair: false }),
    done: {},
    tokenRejected: false,
  });
  const session = planSession(facts);
  const { token } = memory.session;
  if (token === null) return { session, decision: null, steps: [], refusal: null };
  const observed = await observeContainers(agent);
  const { desired } = await checkIn(agent, token.value, {
    state: memory.state,
    containers: observed.containers,
  });
  if (observed.error !== null) throw observed.error;
  const { applied } = memory.state;
  const decision = decide({
    now: agent.ports.clock.now(),
    force: false,
    desired,
    state: memory.state,
    containers: observed.containers,
    releaseOnDisk: applied !== null && await agent.releases.isComplete(applied.sha),
  });
  return { session, decision, ...await stepsOf(agent, memory, { decision, desired, observed }) };
}

interface Found {
  readonly decision: Decision;
  readonly desired: Desired;
  readonly observed: Observed;
}

async function stepsOf(
  agent: Agent,
  memory: Memory,
  { decision, desired }: Found,
): Promise<Pick<Preview, "steps" | "refusal">> {
  switch (decision.kind) {
    case "nothing":
    case "wait":
    case "flapping":
      return { steps: [], refusal: null };
    case "remove":
      return { steps: planRemove(agent.config.volumesOnAbsent === "remove"), refusal: null };
    case "repair":
      return {
        steps: planRepairSteps(memory.state.applied?.sha ?? "", decision.repair),
        refusal: null,
      };
    case "apply": {
      const serial = desired.state === "present" ? desired.serial : null;
      try {
        const bundle = await fetchBundle(agent, memory, { sha: decision.sha, serial });
        acceptBundle(agent, memory.state, { bundle, desired: { serial } });
        const { releasesKept } = agent.config;
        return { steps: planApply(bundle, { state: memory.state, releasesKept }), refusal: null };
      } catch (thrown) {
        return { steps: [], refusal: asAgentError(thrown) };
      }
    }
  }
}
