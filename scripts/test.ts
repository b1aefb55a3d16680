/**
 * `deno task test`: brings up the lab where it is needed, runs the tests, takes it down again,
 * and ends with one line of real counts.
 *
 * @module
 */
import { PROJECT } from "./check/paths.ts";
import { conclude } from "./test/conclude.ts";
import { parseTestOptions, type TestOptions, USAGE } from "./test/options.ts";
import { addResults, NOTHING, type Results, showCounts } from "./test/results.ts";
import { type LabTests, runOnLab, type RunOptions, runTests } from "./test/run.ts";
import { type Selection, selectTests } from "./test/select.ts";
import { stopSignal } from "./test/stop_signal.ts";

/** Runs what was asked for, prints the counts, and gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const ci = ["true", "1"].includes(Deno.env.get("CI") ?? "");
  let options: TestOptions;
  let selection: Selection;
  try {
    options = parseTestOptions(args);
    selection = await selectTests(PROJECT, options.wanted, options.fast);
  } catch (error) {
    console.error(`test: ${error instanceof Error ? error.message : error}\n${USAGE}`);
    console.log(showCounts(NOTHING));
    return 64;
  }
  const stop = stopSignal();
  const run: Omit<RunOptions, "parallel"> = {
    frozen: ci,
    env: {},
    deadlineSeconds: options.deadlineSeconds,
    signal: stop.signal,
  };
  const results = addResults([
    await runTests(selection.fast, { ...run, parallel: true }),
    await runReal(selection.real, run, options.keepLab),
  ]);
  stop.release();
  return conclude(results, { task: "test", stopped: stop.signal.aborted, needsAll: ci });
}

async function runReal(
  tests: LabTests,
  run: Omit<RunOptions, "parallel">,
  keepLab: boolean,
): Promise<Results> {
  if (tests.together.length + tests.alone.length === 0 || run.signal.aborted) return NOTHING;
  // Loaded here, so that a run without the lab needs none of it.
  const { withLab } = await import("./test/lab.ts");
  return await runOnLab(tests, run, (use) => withLab(keepLab, use));
}

Deno.exitCode = await main(Deno.args);
