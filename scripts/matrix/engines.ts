/**
 * `deno task engines`: runs tests of the deploy engine on the newer end of the field, on a Docker
 * Engine and a compose that the machine does not have installed; `deno task test` runs them on the
 * older end. Ends with one line of real counts; a test that was skipped is no success.
 *
 * @module
 */
import { PROJECT } from "../check/paths.ts";
import { conclude } from "../test/conclude.ts";
import { NOTHING, showCounts } from "../test/results.ts";
import { type LabTests, runOnLab } from "../test/run.ts";
import { selectTests } from "../test/select.ts";
import { stopSignal } from "../test/stop_signal.ts";
import { CHOSEN } from "./engines/chosen.ts";
import { withNewerLab } from "./engines/lab.ts";
import { type EnginesOptions, parseEnginesOptions, USAGE } from "./engines/options.ts";

/** Runs what was asked for, prints the counts, and gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let options: EnginesOptions;
  let tests: LabTests;
  try {
    options = parseEnginesOptions(args);
    tests = await realTests(options.wanted);
  } catch (error) {
    console.error(`engines: ${error instanceof Error ? error.message : error}\n${USAGE}`);
    console.log(showCounts(NOTHING));
    return 64;
  }
  const stop = stopSignal();
  const results = await runOnLab(tests, {
    frozen: ["true", "1"].includes(Deno.env.get("CI") ?? ""),
    env: {},
    deadlineSeconds: options.deadlineSeconds,
    signal: stop.signal,
  }, withNewerLab);
  stop.release();
  return conclude(results, { task: "engines", stopped: stop.signal.aborted, needsAll: true });
}

async function realTests(wanted: readonly string[]): Promise<LabTests> {
  const { fast, real } = await selectTests(PROJECT, wanted.length === 0 ? CHOSEN : wanted, false);
  if (fast.length > 0) throw new Error(`${fast[0]} needs no Engine: name tests in tests/real`);
  return real;
}

Deno.exitCode = await main(Deno.args);
