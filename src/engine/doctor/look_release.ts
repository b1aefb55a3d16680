/** The doctor's look at what runs: a tick can have all it needs and its release fail all the same. */

import { type DiskFacts, judgeRelease } from "../../core/doctor/judge_release.ts";
import type { Verdict } from "../../core/doctor/verdict.ts";
import type { Agent } from "../agent.ts";
import { observeContainers } from "../observe.ts";
import type { Lookout } from "./lookout.ts";

/** Whether the release that was applied runs, and the one that is wanted could be applied. */
export async function lookAtRelease({ agent, memory }: Lookout): Promise<Verdict> {
  const { state } = await memory();
  const { containers, error } = await observeContainers(agent);
  const { applied } = state;
  return judgeRelease({
    state,
    containers: error === null ? containers : null,
    disk: applied === null ? null : await lookAtDisk(agent, applied.sha),
    lastTick: await agent.journal.lastTick(),
    now: agent.ports.clock.now(),
  });
}

/** No tick that finds all services running looks at these. Null when they cannot be read. */
async function lookAtDisk(
  { releases, project }: Agent,
  sha: string,
): Promise<DiskFacts | null> {
  try {
    return {
      intact: await releases.isIntact(sha) && await releases.isComplete(sha),
      missing: await project.missing(await releases.files(sha)),
    };
  } catch {
    return null;
  }
}
