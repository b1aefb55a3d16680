import { showFailures } from "./failure.ts";
import { objection, type Results, showCounts } from "./results.ts";

/** Whose results these are, and what counts as success. */
export interface Conclusion {
  /** The task, for messages. */
  readonly task: string;
  /** Whether a signal ended it early. */
  readonly stopped: boolean;
  /** Whether a test that was left out is a failure. */
  readonly needsAll: boolean;
}

/** Takes the results of a task; says what failed and the counts as the last line; gives its exit code. */
export function conclude(results: Results, { task, stopped, needsAll }: Conclusion): number {
  for (const line of showFailures(results.failures)) console.error(line);
  const problem = stopped ? "stopped by a signal" : objection(results, needsAll);
  if (problem !== undefined) console.error(`${task}: ${problem}`);
  console.log(showCounts(results));
  return problem === undefined ? 0 : 1;
}
