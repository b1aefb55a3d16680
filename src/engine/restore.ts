/**
 * `on_failure: restore` (SPEC §4): after an apply that has touched the project and failed, the last
 * good release is brought back from disk, with the secret versions it was released with, and what
 * failed is quarantined.
 */

import { short } from "../core/decide.ts";
import { planRestore } from "../core/plan.ts";
import type { Agent } from "./agent.ts";
import { conclude } from "./conclude.ts";
import { execute } from "./execute.ts";
import type { Memory } from "./memory.ts";
import { need, newWork } from "./work.ts";

/**
 * Brings the applied release back after the failure that the state holds; says what became of it and throws only when the state cannot be
 * written. A restore that fails leaves the mark of the apply, so that the next tick converges.
 */
export async function restoreApplied(agent: Agent, memory: Memory): Promise<void> {
  const { log, clock } = agent.ports;
  const { applied, failed } = memory.state;
  if (failed === null) return;
  if (applied === null || !await agent.releases.isComplete(applied.sha)) {
    log.write("warn", "nothing to restore: there is no complete release on disk", {});
    return;
  }
  const startedAt = clock.now();
  log.write("info", "restoring", { sha: short(applied.sha), why: failed.code });
  const work = newWork({
    memory,
    sha: applied.sha,
    bundle: null,
    env: null,
    containers: [],
    secrets: memory.state.secrets,
  });
  const execution = await execute(agent, planRestore(applied.sha), work);
  if (execution.failure !== null) {
    const { code, message } = execution.failure.error;
    log.write("error", "the last good release could not be restored", { code, why: message });
    return;
  }
  log.write("info", "restored", { sha: short(applied.sha) });
  await conclude(agent, memory, {
    startedAt,
    cause: `${failed.code} of ${short(failed.sha)}`,
    steps: execution.steps,
    containers: work.containers,
    ending: {
      kind: "restored",
      released: need(work.released, "a list of what runs"),
      note: `restored after ${failed.code} of ${short(failed.sha)}`,
    },
  });
}
