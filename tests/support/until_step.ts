/** Waiting for a running agent to come as far as a test needs it. */

import type { Box } from "../../scripts/box/box.ts";

const LONGEST_MS = 60_000;

/** Waits until the release is being applied and the step runs, as the state file tells. Throws after a minute. */
export async function untilStep(box: Box, sha: string, step: string): Promise<void> {
  for (let waited = 0; waited < LONGEST_MS; waited += 10) {
    const applying = (await box.state())?.["applying"] as { sha: string; step: string } | null;
    if (applying?.sha === sha && applying.step === step) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`step ${step} was not reached`);
}
