/** The steps that remove releases from disk: those no longer kept (SPEC §4), or all of them. */

import { imagesToRemove, releasesToRemove } from "../core/prune.ts";
import type { StepArgs } from "../core/step.ts";
import { AgentError } from "../errors.ts";
import { parseReleaseRecord, type ReleaseRecord } from "../model/release_record.ts";
import type { Agent } from "./agent.ts";
import type { Work } from "./work.ts";

/**
 * Removes old releases and the images that only they needed. What cannot be removed is said and
 * fails nothing: the deploy is good, and the next one tries again.
 */
export async function pruneStep(
  agent: Agent,
  { keep }: StepArgs["prune"],
  work: Work,
): Promise<void> {
  const { log } = agent.ports;
  try {
    await prune(agent, keep, work);
  } catch (thrown) {
    if (!(thrown instanceof AgentError) || thrown.kind === "bug") throw thrown;
    log.write("warn", "old releases stay for now", { code: thrown.code, why: thrown.message });
  }
}

async function prune(agent: Agent, keep: number, work: Work): Promise<void> {
  const { log } = agent.ports;
  const onDisk = await agent.releases.list();
  const history = work.memory.state.history.map((release) => release.sha);
  const removed = new Set(releasesToRemove({ onDisk, history, current: work.sha, keep }));
  if (removed.size === 0) return;
  const records = await Promise.all(
    onDisk.map(async (sha) => [sha, await read(agent, sha)] as const),
  );
  const of = (wanted: boolean): readonly ReleaseRecord[] =>
    records.flatMap(([sha, record]) =>
      record !== null && removed.has(sha) === wanted ? [record] : []
    );
  const images = imagesToRemove(of(true), of(false));
  for (const sha of removed) {
    await agent.releases.remove(sha);
    log.write("info", "removed an old release", { sha: sha.slice(0, 12) });
  }
  for (const image of images) {
    if (await hasOtherNames(agent, image)) continue;
    const outcome = await agent.docker.removeImage(image);
    log.write("info", "pruned an image", { image, outcome });
  }
}

/** An id is removed only when its image has no name left: another project may have given it one. */
async function hasOtherNames(agent: Agent, image: string): Promise<boolean> {
  if (!image.startsWith("sha256:")) return false;
  const found = (await agent.docker.images([image])).get(image);
  return found === undefined || found.tags.length > 0;
}

async function read(agent: Agent, sha: string): Promise<ReleaseRecord | null> {
  const bytes = await agent.releases.readOwn(agent.releases.paths(sha).record);
  return bytes === null ? null : parseReleaseRecord(bytes);
}

/** Removes every release: their `.env` files hold secrets. Throws FILE_UNWRITABLE. */
export async function forgetStep(
  agent: Agent,
  _args: StepArgs["forget"],
  _work: Work,
): Promise<void> {
  await agent.releases.removeAll();
}
