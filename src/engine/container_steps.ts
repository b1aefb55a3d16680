/**
 * The steps that touch the project's containers. What they need to know was decided in core; they
 * keep the order of their effects.
 */

import { type ComposeTarget, downArgs, repairArgs, upArgs } from "../core/compose_argv.ts";
import {
  includeTied,
  leftStopped,
  misnamedServices,
  namesToFree,
  stuckServices,
  suspectContainers,
} from "../core/repair.ts";
import type { StepArgs } from "../core/step.ts";
import { AgentError, hasCode } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import type { Container } from "../model/containers.ts";
import type { Agent } from "./agent.ts";
import { checkBeforeUp } from "./before_up.ts";
import { composeCall, resolveFiles, runCompose, targetOf } from "./compose_calls.ts";
import { reachBundle } from "./env.ts";
import { judgePolicy } from "./judge_policy.ts";
import { markApplying } from "./mark.ts";
import { linesOfFailed, watchHealth } from "./watch_health.ts";
import { need, type Work } from "./work.ts";

const CONFLICT_PAUSE_MS = 5_000;

/**
 * Brings the project up. What would make it fail half-way is looked at first, while nothing is
 * touched. Throws NETWORK_MISSING, VOLUME_MISSING, IMAGE_NOT_FOUND, PORT_IN_USE, POLICY_DENIED,
 * UP_FAILED and its kin, STEP_TIMEOUT.
 */
export async function upStep(agent: Agent, { sha }: StepArgs["up"], work: Work): Promise<void> {
  const composeVersion = work.memory.state.compose?.version ?? null;
  const [before] = await Promise.all([
    agent.docker.list(agent.config.composeProject),
    work.model === null ? null : checkBeforeUp(agent, work.model, { composeVersion }),
  ]);
  await markApplying(agent, work, { sha, step: "up" });
  work.touched = true;
  await agent.project.sync(work.bundle?.files ?? await agent.releases.files(sha));
  const target = targetOf(agent, sha, { folder: "project", override: true });
  const { bundle } = work;
  if (bundle === null) work.model = await resolveAgain(agent, target, work);
  else if (work.bindsBeyondBundle) await judgeInPlace(agent, { target, bundle, work });
  const paused = before.filter((each) => each.state === "paused" && !each.oneoff);
  // compose fails on a paused container, after it has touched others (facts: docker §7).
  for (const { id } of paused) await agent.docker.unpause(id);
  for (const { id, name } of namesToFree(before, need(work.model, "a model"))) {
    await agent.docker.rename(id, name);
  }
  const again = await withLines(agent, work, () => upOverStuck(agent, { target, work, before }));
  const suspects = suspectContainers(before);
  const misnamed = misnamedServices(before, need(work.model, "a model"));
  if (again || suspects.length > 0 || misnamed.length > 0) {
    await recreateStuck(agent, { target, work, suspects });
  }
}

/** When `up` itself finds a service that others wait for failed, its last lines say why, not compose's. */
async function withLines<T>(agent: Agent, work: Work, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (hasCode(thrown, "UNHEALTHY")) {
      const lines = await linesOfFailed(agent);
      work.evidence = [work.evidence, lines].filter((each) => each).join("\n");
    }
    throw thrown;
  }
}

/**
 * `up` gives up at once on a service that others wait for and that was unhealthy before it began, at
 * every attempt, with those others stopped by then: such a one is replaced, and `up` called again. So
 * is what cannot start since its network was pruned.
 */
async function upOverStuck(
  agent: Agent,
  { target, work, before }: {
    readonly target: ComposeTarget;
    readonly work: Work;
    readonly before: readonly Container[];
  },
): Promise<boolean> {
  try {
    return await composeUp(agent, target, work);
  } catch (thrown) {
    if (hasCode(thrown, "NETWORK_MISSING")) {
      const after = await agent.docker.list(agent.config.composeProject);
      const services = leftStopped(before, after);
      if (services.length === 0) throw thrown;
      await remake(agent, services, { target, work });
      return await composeUp(agent, target, work);
    }
    if (!hasCode(thrown, "UNHEALTHY")) throw thrown;
    if (!await recreateStuck(agent, { target, work, suspects: before })) throw thrown;
    return await composeUp(agent, target, work);
  }
}

/** Says whether a taken name made a second run necessary. */
async function composeUp(agent: Agent, target: ComposeTarget, work: Work): Promise<boolean> {
  const up = (): Promise<void> => runUp(agent, upArgs(target), { target, work });
  try {
    await up();
    return false;
  } catch (thrown) {
    if (!hasCode(thrown, "NAME_CONFLICT")) throw thrown;
    // A compose of a killed tick may still be at it; the project is right after its end (case 33).
    agent.ports.log.write("warn", "a container's name is taken, trying once more", {});
    await agent.ports.clock.sleep(CONFLICT_PAUSE_MS, agent.ports.signals.stop);
    await up();
    return true;
  }
}

/** Recreates services whose containers cannot be brought up as they are. */
async function remake(
  agent: Agent,
  services: readonly string[],
  { target, work }: { readonly target: ComposeTarget; readonly work: Work },
): Promise<void> {
  agent.ports.log.write("warn", "replaced", { services: services.join(", ") });
  await runUp(agent, repairArgs(target, services, { recreate: true }), { target, work });
}

/** Every `up`, of an apply as of a repair, runs in the project's folder under the same deadline. */
async function runUp(
  agent: Agent,
  args: readonly string[],
  { target, work }: { readonly target: ComposeTarget; readonly work: Work },
): Promise<void> {
  const timeoutS = agent.config.timeouts.upS;
  const call = composeCall(agent, args, { timeoutS, cwd: target.projectDir });
  await runCompose(agent, call, { step: "up", work });
}

/**
 * `up` leaves an unhealthy container alone when its service did not change, and the release would
 * never become healthy: it is replaced, as a repair would. So is one that has not got its name. Says
 * whether there was one.
 */
async function recreateStuck(
  agent: Agent,
  { target, work, suspects }: {
    readonly target: ComposeTarget;
    readonly work: Work;
    readonly suspects: readonly Container[];
  },
): Promise<boolean> {
  const after = await agent.docker.list(agent.config.composeProject);
  const model = need(work.model, "a model");
  const stuck = new Set([...stuckServices(suspects, after), ...misnamedServices(after, model)]);
  if (stuck.size === 0) return false;
  const plan = { kind: "repair", unpause: [], start: [], recreate: [...stuck].sort() } as const;
  await remake(agent, includeTied(plan, model).recreate, { target, work });
  return true;
}

/**
 * A relative path that leaves the bundle leads elsewhere from the project's folder than from the
 * release's, where it was judged first.
 */
async function judgeInPlace(
  agent: Agent,
  { target, bundle, work }: {
    readonly target: ComposeTarget;
    readonly bundle: Bundle;
    readonly work: Work;
  },
): Promise<void> {
  const { resolved } = await resolveFiles(agent, target, work);
  await judgePolicy(agent, { resolved, target, reads: reachBundle(bundle).reads });
}

/**
 * Lets compose resolve a release that is on disk. It is judged again: the host's policy may have
 * changed, and a container may have planted links in what it mounts. Throws POLICY_DENIED,
 * BIND_MISSING, COMPOSE_INVALID.
 */
async function resolveAgain(
  agent: Agent,
  target: ComposeTarget,
  work: Work,
): Promise<ComposeModel> {
  const { model, resolved } = await resolveFiles(agent, target, work);
  await judgePolicy(agent, { resolved, target, reads: [] });
  return model;
}

/**
 * Brings named services back, and those that live in their containers' namespaces. Throws
 * POLICY_DENIED, BIND_MISSING, UP_FAILED and its kin, STEP_TIMEOUT, DOCKER_*, DISK_FULL, FILE_*.
 */
export async function repairStep(
  agent: Agent,
  args: StepArgs["repair"],
  work: Work,
): Promise<void> {
  await agent.project.bringMissing(await agent.releases.files(work.sha));
  const target = targetOf(agent, work.sha, { folder: "project", override: true });
  const model = await resolveAgain(agent, target, work);
  work.model = model;
  work.touched = true;
  const { unpause, start, recreate } = includeTied({ kind: "repair", ...args } as const, model);
  for (const id of unpause) await agent.docker.unpause(id);
  const groups = [{ services: start, recreate: false }, { services: recreate, recreate: true }];
  for (const group of groups.filter((each) => each.services.length > 0)) {
    const args = repairArgs(target, group.services, { recreate: group.recreate });
    try {
      await runUp(agent, args, { target, work });
    } catch (thrown) {
      if (group.recreate || !hasCode(thrown, "NETWORK_MISSING")) throw thrown;
      await remake(agent, group.services, { target, work });
    }
  }
}

/** Waits until the services are healthy. Throws UNHEALTHY with the last lines as evidence. */
export async function healthStep(
  agent: Agent,
  _args: StepArgs["health"],
  work: Work,
): Promise<void> {
  const { applying } = work.memory.state;
  if (applying !== null) await markApplying(agent, work, { sha: applying.sha, step: "health" });
  const { containers, trouble } = await watchHealth(agent, need(work.model, "a model"));
  work.containers = containers;
  if (trouble === null) return;
  work.evidence = trouble.evidence;
  throw new AgentError("UNHEALTHY", trouble.message);
}

/** Removes the project by its labels. Throws REMOVE_FAILED, STEP_TIMEOUT. */
export async function downStep(
  agent: Agent,
  { volumes }: StepArgs["down"],
  work: Work,
): Promise<void> {
  work.touched = true;
  const { composeProject, stateDir, timeouts } = agent.config;
  const args = downArgs(composeProject, { stopTimeoutS: null, volumes });
  const call = composeCall(agent, args, { timeoutS: timeouts.downS, cwd: stateDir });
  await runCompose(agent, call, { step: "down", work });
}

/** Looks whether the project is gone. Throws REMOVE_FAILED naming what is left. */
export async function goneStep(
  agent: Agent,
  _args: StepArgs["gone"],
  work: Work,
): Promise<void> {
  const { composeProject, volumesOnAbsent } = agent.config;
  work.containers = await agent.docker.list(composeProject);
  const networks = (await agent.docker.networks(composeProject)).map((each) => each.name);
  const volumes = volumesOnAbsent === "keep" ? [] : await agent.docker.volumes(composeProject);
  const left = [...work.containers.map((each) => each.name), ...networks, ...volumes];
  if (left.length > 0) {
    throw new AgentError("REMOVE_FAILED", `of ${composeProject} are left: ${left.join(", ")}`);
  }
}
