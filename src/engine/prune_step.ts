/** The steps that remove releases from disk: those no longer kept (SPEC §4), or all of them. */

import { releasesToRemove } from "../core/prune.ts";
import type { StepArgs } from "../core/step.ts";
import type { Agent } from "./agent.ts";
import type { Work } from "./work.ts";

/** Removes old releases from disk; a failure is said and fails nothing: the deploy is good. */
export async function pruneStep(
  agent: Agent,
  { keep }: StepArgs["prune"],
  work: Work,
): Promise<void> {
  const onDisk = await agent.releases.list();
  const history = work.memory.state.history.map((release) => release.sha);
  for (const sha of releasesToRemove({ onDisk, history, current: work.sha, keep })) {
    await agent.releases.remove(sha);
    agent.ports.log.write("info", "removed an old release", { sha: sha.slice(0, 12) });
  }
}

/** Removes every release: their `.env` files hold secrets. Throws FILE_UNWRITABLE. */
export async function forgetStep(
  agent: Agent,
  _args: StepArgs["forget"],
  _work: Work,
): Promise<void> {
  await agent.releases.removeAll();
}
