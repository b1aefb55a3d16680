/**
 * `plan`: what a tick would do and why. Checks in, and fetches the bundle when one would be applied;
 * writes nothing, leases nothing, starts nothing. A session that would have to be opened first is
 * told and not opened.
 */

import { decide, type Decision, short } from "../core/decide.ts";
import { explainSteps, type StepFacts } from "../core/explain_steps.ts";
import { planApply, planRemove, planRepairSteps, planRestore } from "../core/plan.ts";
import { planSession, type SessionPlan } from "../core/plan_session.ts";
import { releasesToRemove } from "../core/prune.ts";
import { imagesOf, type ReleaseDiff } from "../core/release_diff.ts";
import type { Step } from "../core/step.ts";
import { chooseToken } from "../core/token_choice.ts";
import { type AgentError, asAgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseComposeFile } from "../model/compose_file.ts";
import type { Desired } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";
import { acceptBundle, fetchBundle } from "./apply.ts";
import { checkIn } from "./check_in.ts";
import { compareWithApplied } from "./compare.ts";
import { readMemory } from "./load.ts";
import type { Memory } from "./memory.ts";
import { observeContainers, type Observed } from "./observe.ts";
import { repairOrApply } from "./repair_or_apply.ts";
import { factsOfToken, sessionFacts } from "./session.ts";

/** What a tick would do. */
export interface Preview {
  readonly session: SessionPlan;
  /** Null: tenancy was not asked, or did not say. */
  readonly desired: Desired | null;
  /** Null: the session has to be opened before tenancy can be asked, or `trouble` says why. */
  readonly decision: Decision | null;
  /** What would stop the tick before there is a decision. */
  readonly trouble: AgentError | null;
  readonly diff: ReleaseDiff | null;
  readonly steps: readonly Step[];
  /** The bundle would be refused, or cannot be had. */
  readonly refusal: AgentError | null;
}

const NO_STEPS = { diff: null, steps: [], refusal: null } as const;

/** Looks and plans. Throws STATE_*, PROJECT_MISMATCH, FILE_UNREADABLE. */
export async function previewTick(agent: Agent): Promise<Preview> {
  const memory = await readMemory(agent, { repair: false });
  const facts = sessionFacts(agent, memory, {
    found: await agent.grants.read({ repair: false }),
    done: {},
    tokenRejected: false,
  });
  const session = planSession(facts);
  const undecided = { session, desired: null, decision: null, ...NO_STEPS };
  if (memory.session.token === null) return { ...undecided, trouble: null };
  try {
    return { session, trouble: null, ...await previewDeploy(agent, memory) };
  } catch (thrown) {
    return { ...undecided, trouble: asAgentError(thrown) };
  }
}

type Deploy = Omit<Preview, "session" | "trouble">;

/** The half of a tick that deploys. Throws what stops a tick before there is a decision. */
async function previewDeploy(agent: Agent, memory: Memory): Promise<Deploy> {
  const { token } = memory.session;
  if (token === null) return { desired: null, decision: null, ...NO_STEPS };
  const observed = await observeContainers(agent);
  const { desired } = await checkIn(agent, token.value, {
    state: memory.state,
    containers: observed.containers,
  });
  if (observed.error !== null) throw observed.error;
  const { applied } = memory.state;
  const decided = decide({
    now: agent.ports.clock.now(),
    force: false,
    desired,
    state: memory.state,
    containers: observed.containers,
    releaseOnDisk: applied !== null && await agent.releases.isComplete(applied.sha),
    restores: agent.config.onFailure === "restore",
  });
  const { state } = memory;
  const decision = await repairOrApply(agent, { decision: decided, desired, state });
  return { desired, decision, ...await stepsOf(agent, memory, { decision, desired, observed }) };
}

interface Found {
  readonly decision: Decision;
  readonly desired: Desired;
  readonly observed: Observed;
}

type Steps = Pick<Preview, "diff" | "steps" | "refusal">;

async function stepsOf(
  agent: Agent,
  memory: Memory,
  { decision, desired }: Found,
): Promise<Steps> {
  switch (decision.kind) {
    case "nothing":
    case "wait":
    case "flapping":
      return NO_STEPS;
    case "restore":
      return { ...NO_STEPS, steps: planRestore(memory.state.applied?.sha ?? "") };
    case "remove":
      return { ...NO_STEPS, steps: planRemove(agent.config.volumesOnAbsent === "remove") };
    case "repair": {
      const { repair } = decision;
      const steps = planRepairSteps(memory.state.applied?.sha ?? "", repair);
      const facts = { token: null, missingImages: null, pruned: [], repair };
      return { ...NO_STEPS, steps: explainSteps(steps, facts) };
    }
    case "apply": {
      const serial = desired.state === "present" ? desired.serial : null;
      return await applySteps(agent, memory, { sha: decision.sha, serial });
    }
  }
}

async function applySteps(
  agent: Agent,
  memory: Memory,
  desired: { readonly sha: string; readonly serial: number | null },
): Promise<Steps> {
  let bundle: Bundle;
  try {
    bundle = await fetchBundle(agent, memory, desired);
  } catch (thrown) {
    return { ...NO_STEPS, refusal: asAgentError(thrown) };
  }
  try {
    const { env } = acceptBundle(agent, memory.state, { bundle, desired });
    const diff = await compareWithApplied(agent, memory.state, { bundle, env });
    const { releasesKept } = agent.config;
    const steps = planApply(bundle, { state: memory.state, releasesKept });
    const facts = await stepFacts(agent, memory, bundle);
    return { diff, steps: explainSteps(steps, facts), refusal: null };
  } catch (thrown) {
    const diff = await compareWithApplied(agent, memory.state, { bundle, env: null });
    return { ...NO_STEPS, diff, refusal: asAgentError(thrown) };
  }
}

async function stepFacts(agent: Agent, memory: Memory, bundle: Bundle): Promise<StepFacts> {
  const { token } = memory.session;
  const onDisk = await agent.releases.list();
  const history = memory.state.history.map(({ sha }) => sha);
  const keep = agent.config.releasesKept;
  return {
    token: token === null ? null : chooseToken({
      now: agent.ports.clock.now(),
      token: factsOfToken(token),
      renewBelowS: agent.config.bao.renewBelowS,
      lookup: "unasked",
      leased: false,
    }),
    missingImages: await missingImages(agent, bundle),
    pruned: releasesToRemove({
      onDisk: [...new Set([...onDisk, bundle.sha])],
      history,
      current: bundle.sha,
      keep,
    }).map(short),
    repair: null,
  };
}

/** Only what the files name in full can be asked for; compose fills in the rest later. */
async function missingImages(agent: Agent, bundle: Bundle): Promise<readonly string[] | null> {
  const written = imagesOf(parseComposeFile(bundle.compose, "docker-compose.yml"));
  const refs = [...new Set(written.values())].sort();
  if (refs.some((ref) => ref.includes("$"))) return null;
  const present = await agent.docker.images(refs);
  return refs.filter((ref) => !present.has(ref));
}
