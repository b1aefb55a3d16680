/**
 * The steps that deal with a release on disk: measured, staged, resolved, made the current one. What
 * they need to know was decided in core; they keep the order of their effects.
 */

import { takeReleased } from "../core/as_released.ts";
import { listMountedContent, renderLabelOverride } from "../core/changed_files.ts";
import { inlineContents, variableSources } from "../core/content_sources.ts";
import { refuseOldCompose, refuseOldEngine } from "../core/docker_versions.ts";
import { refuseForDisk } from "../core/disk.ts";
import type { StepArgs } from "../core/step.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseComposeFile } from "../model/compose_file.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import { formatReleaseRecord } from "../model/release_record.ts";
import type { Agent } from "./agent.ts";
import { resolveFiles, targetOf } from "./compose_calls.ts";
import { findComposeVersion } from "./compose_version.ts";
import { reachBundle } from "./env.ts";
import { bindsBeyondBundle, judgePolicy } from "./judge_policy.ts";
import { markApplying } from "./mark.ts";
import { need, type Work } from "./work.ts";

/**
 * Looks at the tools and the disk. Throws COMPOSE_MISSING, COMPOSE_TOO_OLD, DOCKER_*,
 * DISK_INSUFFICIENT, DISK_FULL, FILE_*.
 */
export async function preflightStep(
  agent: Agent,
  _args: StepArgs["preflight"],
  work: Work,
): Promise<void> {
  const { memory } = work;
  // A box without a compose or an Engine that will do must not lease a token first (case 42).
  const { images } = need(work.bundle, "a bundle").meta;
  const { dataRoot, diskFactor, diskHeadroomBytes } = agent.config.docker;
  const [compose, engine, present, freeBytes] = await Promise.all([
    findComposeVersion(agent, memory.state),
    agent.docker.version(),
    agent.docker.images(images.map(({ ref }) => ref)),
    agent.ports.files.freeBytes(dataRoot),
  ]);
  const { news } = compose;
  if (news !== null) await memory.saveState({ ...memory.state, compose: news });
  const tooOld = refuseOldCompose(compose.version) ?? refuseOldEngine(engine.version);
  if (tooOld !== null) throw tooOld;
  const refusal = refuseForDisk({
    images,
    present: new Set(present.keys()),
    freeBytes,
    factor: diskFactor,
    headroomBytes: diskHeadroomBytes,
    dataRoot,
  });
  if (refusal !== null) throw refusal;
}

/**
 * Writes the release. From here on the state says that an apply goes on. Throws PROJECT_FOLDER_TAKEN,
 * DISK_FULL, FILE_*.
 */
export async function stageStep(
  agent: Agent,
  { sha }: StepArgs["stage"],
  work: Work,
): Promise<void> {
  await agent.project.refuseTaken();
  await markApplying(agent, work, { sha, step: "stage" });
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

/** Makes the release the current one. Throws DISK_FULL, FILE_UNWRITABLE. */
export async function commitStep(
  agent: Agent,
  { sha }: StepArgs["commit"],
  work: Work,
): Promise<void> {
  const model = need(work.model, "a model");
  const released = takeReleased(work.containers, model);
  work.released = released;
  const applied = work.memory.state.applied;
  const record = formatReleaseRecord({
    envId: agent.config.envId,
    sha,
    serial: work.bundle?.serial ?? (applied?.sha === sha ? applied.serial : null),
    at: new Date(agent.ports.clock.now()).toISOString(),
    released,
    images: [...new Set(model.services.flatMap(({ image }) => image ?? []))].sort(),
    secrets: work.secrets,
  });
  await agent.releases.writeOwn(sha, agent.releases.paths(sha).record, record);
  if (await agent.releases.current() !== sha) await agent.releases.commit(sha);
}
