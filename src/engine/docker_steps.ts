/**
 * The steps that touch the release on disk and the project's containers, one function each. What
 * they need to know was decided in core; they keep the order of their effects.
 */

import { listMountedContent, renderLabelOverride } from "../core/changed_files.ts";
import {
  type ComposeTarget,
  downArgs,
  pullArgs,
  repairArgs,
  upArgs,
} from "../core/compose_argv.ts";
import { inlineContents, variableSources } from "../core/content_sources.ts";
import { refuseForDisk } from "../core/disk.ts";
import type { StepArgs } from "../core/step.ts";
import { takeReleased } from "../core/as_released.ts";
import { AgentError, hasCode } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseComposeFile } from "../model/compose_file.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import { formatReleaseRecord } from "../model/release_record.ts";
import type { Agent } from "./agent.ts";
import { checkBeforeUp } from "./before_up.ts";
import { composeCall, resolveFiles, runCompose, targetOf } from "./compose_calls.ts";
import { reachBundle } from "./env.ts";
import { bindsBeyondBundle, judgePolicy } from "./judge_policy.ts";
import { watchHealth } from "./watch_health.ts";
import { need, type Work } from "./work.ts";

const CONFLICT_PAUSE_MS = 5_000;

/** Measures disk against missing images. Throws DISK_INSUFFICIENT, COMPOSE_MISSING, DOCKER_*. */
export async function preflightStep(
  agent: Agent,
  _args: StepArgs["preflight"],
  work: Work,
): Promise<void> {
  // A box without compose must not lease a token first (case 42).
  await agent.compose();
  const { images } = need(work.bundle, "a bundle").meta;
  const { dataRoot, diskFactor, diskHeadroomBytes } = agent.config.docker;
  const present = await agent.docker.images(images.map(({ ref }) => ref));
  const refusal = refuseForDisk({
    images,
    present: new Set(present.keys()),
    freeBytes: await agent.ports.files.freeBytes(dataRoot),
    factor: diskFactor,
    headroomBytes: diskHeadroomBytes,
    dataRoot,
  });
  if (refusal !== null) throw refusal;
}

/** Writes the release. From here on the state says that an apply goes on. Throws DISK_FULL, FILE_*. */
export async function stageStep(
  agent: Agent,
  { sha }: StepArgs["stage"],
  work: Work,
): Promise<void> {
  await mark(agent, work, { sha, step: "stage" });
  for (const name of await agent.releases.sweep()) {
    agent.ports.log.write("info", "removed a leftover", { name });
  }
  await agent.releases.stage(need(work.bundle, "a bundle"));
}

/**
 * Lets compose resolve the files, holds them against the policy, and writes the label override.
 * Throws COMPOSE_INVALID, POLICY_DENIED, BIND_MISSING.
 */
export async function validateStep(
  agent: Agent,
  { sha }: StepArgs["validate"],
  work: Work,
): Promise<void> {
  const target = targetOf(agent, sha, { folder: "release", override: false });
  const { model, resolved } = await resolveFiles(agent, target, work);
  const { reads } = reachBundle(need(work.bundle, "a bundle"));
  await judgePolicy(agent, { resolved, target, reads });
  work.model = model;
  work.bindsBeyondBundle = bindsBeyondBundle(agent, { resolved, target });
  const override = await overrideOf(agent, work, { model, root: target.projectDir });
  await agent.releases.writeOwn(sha, agent.releases.paths(sha).override, override);
}

/** An override that labels nothing is written too, so that a repair need not know. */
async function overrideOf(
  agent: Agent,
  work: Work,
  { model, root }: { readonly model: ComposeModel; readonly root: string },
): Promise<string> {
  const bundle = need(work.bundle, "a bundle");
  const listings = listMountedContent({
    model,
    projectDir: root,
    files: await fileHashes(agent, bundle),
    variables: variableSources(need(work.env, "a plan of the .env"), work.secrets),
    contents: inlineContents(parseComposeFile(bundle.compose, "docker-compose.yml")),
  });
  const hashes = new Map<string, string>();
  for (const [service, listing] of listings) {
    hashes.set(service, await agent.ports.digest.sha256(new TextEncoder().encode(listing)));
  }
  return renderLabelOverride(hashes) ?? "{}\n";
}

async function fileHashes(agent: Agent, bundle: Bundle): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const { path, content, mode } of bundle.files) {
    hashes.set(path, `${await agent.ports.digest.sha256(content)} ${mode.toString(8)}`);
  }
  return hashes;
}

/** Fetches missing images. Throws IMAGE_*, REGISTRY_*, PULL_FAILED, DISK_FULL, STEP_TIMEOUT. */
export async function pullStep(
  agent: Agent,
  { sha }: StepArgs["pull"],
  work: Work,
): Promise<void> {
  const target = targetOf(agent, sha, { folder: "release", override: true });
  const timeoutS = agent.config.timeouts.pullS;
  const call = composeCall(agent, pullArgs(target), { timeoutS, cwd: target.projectDir });
  await runCompose(agent, call, { step: "pull", work });
}

/**
 * Brings the project up. What would make it fail half-way is looked at first, while nothing is
 * touched. Throws NETWORK_MISSING, VOLUME_MISSING, IMAGE_NOT_FOUND, PORT_IN_USE, POLICY_DENIED,
 * UP_FAILED and its kin, STEP_TIMEOUT.
 */
export async function upStep(agent: Agent, { sha }: StepArgs["up"], work: Work): Promise<void> {
  await checkBeforeUp(agent, need(work.model, "a model"));
  await mark(agent, work, { sha, step: "up" });
  work.touched = true;
  const bundle = need(work.bundle, "a bundle");
  await agent.releases.syncProject(bundle.files);
  const target = targetOf(agent, sha, { folder: "project", override: true });
  if (work.bindsBeyondBundle) await judgeInPlace(agent, { target, bundle, work });
  const timeoutS = agent.config.timeouts.upS;
  const call = composeCall(agent, upArgs(target), { timeoutS, cwd: target.projectDir });
  try {
    await runCompose(agent, call, { step: "up", work });
  } catch (thrown) {
    if (!hasCode(thrown, "NAME_CONFLICT")) throw thrown;
    // A compose of a killed tick may still be at it; the project is right after its end (case 33).
    agent.ports.log.write("warn", "a container's name is taken, trying once more", {});
    await agent.ports.clock.sleep(CONFLICT_PAUSE_MS, agent.ports.signals.stop);
    await runCompose(agent, call, { step: "up", work });
  }
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
 * Brings named services back. The release is judged again: the host's policy may have changed, and a
 * container may have planted links in what it mounts. Throws POLICY_DENIED, BIND_MISSING, UP_FAILED
 * and its kin, STEP_TIMEOUT, DOCKER_*.
 */
export async function repairStep(
  agent: Agent,
  { unpause, start, recreate }: StepArgs["repair"],
  work: Work,
): Promise<void> {
  const target = targetOf(agent, work.sha, { folder: "project", override: true });
  const { model, resolved } = await resolveFiles(agent, target, work);
  await judgePolicy(agent, { resolved, target, reads: [] });
  work.model = model;
  work.touched = true;
  for (const id of unpause) await agent.docker.unpause(id);
  const groups = [{ services: start, recreate: false }, { services: recreate, recreate: true }];
  for (const group of groups.filter((each) => each.services.length > 0)) {
    const args = repairArgs(target, group.services, { recreate: group.recreate });
    const timeoutS = agent.config.timeouts.upS;
    const call = composeCall(agent, args, { timeoutS, cwd: target.projectDir });
    await runCompose(agent, call, { step: "up", work });
  }
}

/** Waits until the services are healthy. Throws UNHEALTHY with the last lines as evidence. */
export async function healthStep(
  agent: Agent,
  _args: StepArgs["health"],
  work: Work,
): Promise<void> {
  const { containers, trouble } = await watchHealth(agent, need(work.model, "a model"));
  work.containers = containers;
  if (trouble === null) return;
  work.evidence = trouble.evidence;
  throw new AgentError("UNHEALTHY", trouble.message);
}

/** Makes the release the current one. Throws DISK_FULL, FILE_UNWRITABLE. */
export async function commitStep(
  agent: Agent,
  { sha }: StepArgs["commit"],
  work: Work,
): Promise<void> {
  const released = takeReleased(work.containers, need(work.model, "a model"));
  work.released = released;
  const applied = work.memory.state.applied;
  const record = formatReleaseRecord({
    envId: agent.config.envId,
    sha,
    serial: work.bundle?.serial ?? (applied?.sha === sha ? applied.serial : null),
    at: new Date(agent.ports.clock.now()).toISOString(),
    released,
    secrets: work.secrets,
  });
  await agent.releases.writeOwn(sha, agent.releases.paths(sha).record, record);
  if (await agent.releases.current() !== sha) await agent.releases.commit(sha);
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
  const { composeProject } = agent.config;
  work.containers = await agent.docker.list(composeProject);
  const networks = await agent.docker.networks(composeProject);
  const left = [...work.containers.map((each) => each.name), ...networks];
  if (left.length > 0) {
    throw new AgentError("REMOVE_FAILED", `of ${composeProject} are left: ${left.join(", ")}`);
  }
}

async function mark(
  agent: Agent,
  { memory }: Work,
  applying: { readonly sha: string; readonly step: string },
): Promise<void> {
  const since = new Date(agent.ports.clock.now()).toISOString();
  await memory.saveState({ ...memory.state, applying: { ...applying, since } });
}
