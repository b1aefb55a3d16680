/**
 * Applying the desired bundle (SPEC §4): fetch and refuse come first and have no effect on the box;
 * then the plan's steps; then state and report, whatever happened.
 */

import { verifySignature } from "../clients/signature.ts";
import { short } from "../core/decide.ts";
import { toldFailure } from "../core/describe.ts";
import { planApply } from "../core/plan.ts";
import { refuseFindings } from "../core/policy/finding.ts";
import { refuse, rollbackOf } from "../core/refusals.ts";
import type { EnvPlan } from "../core/render/env_plan.ts";
import type { Ending } from "../core/settle.ts";
import { AgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseBundle } from "../model/bundle_parse.ts";
import type { Container } from "../model/containers.ts";
import type { AgentState, StepReport } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { conclude } from "./conclude.ts";
import { askingOf, planBundleEnv, reachBundle } from "./env.ts";
import { execute, timed } from "./execute.ts";
import { keepApply } from "./keep_apply.ts";
import type { Memory } from "./memory.ts";
import { observeContainers, type Observed } from "./observe.ts";
import { restoreApplied } from "./restore.ts";
import { need, newWork, type Work } from "./work.ts";

/** What is applied. */
export interface DesiredRelease {
  readonly sha: string;
  /** As the check-in named it. */
  readonly serial: number | null;
  /** Why it is applied. */
  readonly reason: string;
  readonly observed: Observed;
}

/** A bundle that no rule refused. */
export interface AcceptedBundle {
  readonly bundle: Bundle;
  readonly env: EnvPlan;
  /** Why this is an older release, where that was allowed. */
  readonly rollback: string | null;
}

/** Applies the release; gives what went wrong, or null. Throws only when the state cannot be written. */
export async function applyDesired(
  agent: Agent,
  memory: Memory,
  desired: DesiredRelease,
): Promise<AgentError | null> {
  const startedAt = agent.ports.clock.now();
  const begun: StepReport[] = [];
  const earlierMark = memory.state.applying;
  const fail = async (error: AgentError, work: Work | null): Promise<AgentError> => {
    const facts = { startedAt, steps: begun, error, work, earlierMark };
    await concludeFailure(agent, memory, { ...facts, desired });
    return error;
  };

  const fetched = await timed(agent.ports, "fetch", () => fetchBundle(agent, memory, desired));
  begun.push(fetched.report);
  if (fetched.error !== null) return await fail(fetched.error, null);
  const bundle = need(fetched.value, "a bundle");

  const judged = await timed(
    agent.ports,
    "refuse",
    () => Promise.resolve(acceptBundle(agent, memory.state, { bundle, desired })),
  );
  begun.push(judged.report);
  if (judged.error !== null) return await fail(judged.error, null);
  const accepted = need(judged.value, "a judgement");

  const { env } = accepted;
  const { containers } = desired.observed;
  const work = newWork({ memory, sha: bundle.sha, bundle, env, containers });
  const plan = planApply(bundle, {
    state: memory.state,
    releasesKept: agent.config.releasesKept,
  });
  const execution = await execute(agent, plan, work);
  begun.push(...execution.steps);
  if (execution.failure !== null) {
    const { error } = execution.failure;
    await fail(error, work);
    const restores = agent.config.onFailure === "restore" && work.touched && error.reported;
    if (restores) await restoreApplied(agent, memory);
    return error;
  }

  await conclude(agent, memory, {
    startedAt,
    cause: desired.reason,
    steps: begun,
    containers: work.containers,
    ending: {
      kind: "applied",
      sha: bundle.sha,
      serial: serialOf(bundle, desired),
      released: need(work.released, "a list of what runs"),
      secrets: work.secrets,
      ...(accepted.rollback === null ? {} : { note: `rollback allowed: ${accepted.rollback}` }),
    },
  });
  return null;
}

/** Fetches the bundle and verifies sha, then signature. Throws TENANCY_*, BUNDLE_*. */
export async function fetchBundle(
  agent: Agent,
  memory: Memory,
  desired: Pick<DesiredRelease, "sha" | "serial">,
): Promise<Bundle> {
  const token = need(memory.session.token, "a token");
  const reply = await agent.tenancy.bundle(token.value, desired.sha);
  const bundle = await parseBundle(reply, {
    sha: desired.sha,
    serial: desired.serial,
    sha256: agent.ports.digest.sha256,
  });
  const { bundleKeys } = agent.config.tenancy;
  if (bundleKeys.length > 0) {
    await verifySignature(agent.ports, bundle, {
      envId: agent.config.envId,
      desiredSerial: desired.serial,
      keys: bundleKeys,
    });
  }
  return bundle;
}

/** Takes a bundle; gives it back with what its env needs. Throws the refusal's code (SPEC §4). */
export function acceptBundle(
  agent: Agent,
  state: AgentState,
  { bundle, desired }: {
    readonly bundle: Bundle;
    readonly desired: Pick<DesiredRelease, "serial">;
  },
): AcceptedBundle {
  const reached = reachBundle(bundle);
  const env = planBundleEnv(bundle, askingOf(bundle, reached));
  const refusal = refuse(bundle, {
    envId: agent.config.envId,
    agentVersion: agent.version,
    state,
    desiredSerial: desired.serial,
    env,
  }) ?? refuseFindings(reached.findings, {
    allow: agent.config.policy.allow,
    mask: (text) => text,
  });
  if (refusal !== null) {
    throw new AgentError(refusal.code, refusal.message, { data: refusal.data ?? {} });
  }
  return { bundle, env, rollback: rollbackOf(bundle, { state, desiredSerial: desired.serial }) };
}

function serialOf(bundle: Bundle, desired: DesiredRelease): number | null {
  return bundle.serial ?? desired.serial;
}

interface FailureFacts {
  readonly startedAt: number;
  readonly steps: readonly StepReport[];
  readonly error: AgentError;
  readonly work: Work | null;
  readonly desired: DesiredRelease;
  /** What an apply before this one left half done. */
  readonly earlierMark: AgentState["applying"];
}

/**
 * A failure that counts is reported; one that only the next tick can mend leaves no trace but the
 * mark of an apply that has touched the project, so that the next tick converges (SPEC §4). A bundle
 * that got nowhere takes no earlier mark away: what that apply left is still there.
 */
async function concludeFailure(agent: Agent, memory: Memory, facts: FailureFacts): Promise<void> {
  const { error, work, desired, startedAt, steps, earlierMark } = facts;
  const touched = work?.touched ?? false;
  const keepsOwnMark = touched || error.code === "INTERRUPTED";
  if (!keepsOwnMark && memory.state.applying !== earlierMark) {
    await memory.saveState({ ...memory.state, applying: earlierMark });
  }
  const ending: Ending = {
    kind: "failed",
    sha: desired.sha,
    serial: desired.serial,
    ...toldFailure(error, work?.evidence ?? null),
    secrets: work?.secrets ?? [],
    touched: touched || earlierMark !== null,
  };
  const told = { startedAt, steps, cause: desired.reason, ending };
  if (!error.reported) return await keepApply(agent, memory, told);
  // Who watches has seen the step fail, and gets the error itself next.
  if (agent.ports.watch === undefined) {
    const step = steps.at(-1)?.action;
    agent.ports.log.write("warn", "apply failed", {
      sha: short(desired.sha),
      step,
      code: error.code,
    });
  }
  const containers = touched ? await containersNow(agent, work) : desired.observed.containers;
  await conclude(agent, memory, { ...told, containers });
}

/** A report tells what is there now; when the Engine cannot be asked, what was seen last. */
async function containersNow(agent: Agent, work: Work | null): Promise<readonly Container[]> {
  const { containers, error } = await observeContainers(agent);
  return error === null ? containers : work?.containers ?? [];
}
