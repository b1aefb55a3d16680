/** Ticks until a box has converged, as its timer would, and says how that went. */

import type { Box } from "../box/box.ts";
import type { AgentRun } from "../box/run.ts";

/** The most ticks that a box may need after a kill. */
const MAX_TICKS = 4;

/** How a box converged. */
export interface Convergence {
  /** Why it has not, else null. */
  readonly problem: string | null;
  /** Every tick but the last, which had nothing to do. */
  readonly ticks: readonly AgentRun[];
}

/** Runs ticks until one has nothing to do; that one must be one request to each and nothing else. */
export async function converge(box: Box): Promise<Convergence> {
  const ticks: AgentRun[] = [];
  for (let turn = 0; turn < MAX_TICKS; turn++) {
    const run = await box.tick();
    if (isQuiet(run)) return { problem: null, ticks };
    ticks.push(run);
    if (run.code !== 0) {
      return { problem: `a tick ended with ${run.code}:\n${run.stderr}`, ticks };
    }
  }
  const last = ticks.at(-1);
  const busy = JSON.stringify({
    ...last?.requests,
    children: last?.children,
    writes: last?.writes,
  });
  return { problem: `no quiet tick after ${MAX_TICKS}: ${busy}\n${last?.stderr}`, ticks };
}

/** One request to tenancy, one to the Engine, no child, no write. */
export function isQuiet({ code, requests, children, writes }: AgentRun): boolean {
  return code === 0 && requests.tenancy === 1 && requests.docker === 1 && requests.bao === 0 &&
    children.length === 0 && writes.length === 0;
}
