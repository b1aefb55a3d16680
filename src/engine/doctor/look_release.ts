/** The doctor's look at what runs: a tick can have all it needs and its release fail all the same. */

import { judgeRelease } from "../../core/doctor/judge_release.ts";
import type { Verdict } from "../../core/doctor/verdict.ts";
import { observeContainers } from "../observe.ts";
import type { Lookout } from "./lookout.ts";

/** Whether the release that was applied runs, and the one that is wanted could be applied. */
export async function lookAtRelease({ agent, memory }: Lookout): Promise<Verdict> {
  const { state } = await memory();
  const { containers, error } = await observeContainers(agent);
  return judgeRelease({
    state,
    containers: error === null ? containers : null,
    lastTick: await agent.journal.lastTick(),
    now: agent.ports.clock.now(),
  });
}
