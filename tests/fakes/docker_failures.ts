/** A failed run of compose for tests: usual facts, changed by what the test is about. */

import {
  classifyComposeFailure,
  type ComposeFailureFacts,
  type ComposeStep,
} from "../../src/core/compose_failure.ts";
import type { AgentError } from "../../src/errors.ts";

/** Takes a step and its standard error; gives the error. The mask knows one secret, `s3cr3t`. */
export function classify(
  step: ComposeStep,
  stderr: string,
  change: Partial<ComposeFailureFacts> = {},
): AgentError {
  return classifyComposeFailure({
    step,
    code: 1,
    stderrTail: stderr.split("\n"),
    timedOut: false,
    aborted: false,
    timeoutMs: 600_000,
    mask: (text) => text.replaceAll("s3cr3t", "[masked]"),
    ...change,
  });
}
