import { PROJECT } from "../check/paths.ts";
import { addResults, NOTHING, readResults, type Results } from "./results.ts";

/** How test files are run. */
export interface RunOptions {
  /** Whether the files run side by side. */
  readonly parallel: boolean;
  /** Whether the lockfile must be complete. */
  readonly frozen: boolean;
  /** Environment on top of this process's own. */
  readonly env: Readonly<Record<string, string>>;
  /** After how many seconds the run counts as hanging. */
  readonly deadlineSeconds: number;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

/**
 * Takes test files and runs them, showing what Deno writes, and gives the results. A run that does
 * not end is killed, with all it started, and counts as failed.
 */
export async function runTests(files: readonly string[], options: RunOptions): Promise<Results> {
  if (files.length === 0 || options.signal.aborted) return NOTHING;
  const folder = await Deno.makeTempDir({ prefix: "monky-test-" });
  try {
    const junit = `${folder}/junit.xml`;
    const ok = await runToEnd(testCommand(files, junit, options), options);
    const results = await readIfThere(junit);
    if (results === "") {
      console.error(
        `test: there are no results: each of the ${files.length} files counts as failed`,
      );
    }
    const found = readResults(results, files);
    if (ok || found.failed > 0) return found;
    return addResults([found, failedOutside("the run", "an error outside of every test")]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Brings a lab up, gives `use` the environment in which tests find it, and cleans up. */
export type AroundLab = (
  use: (env: Readonly<Record<string, string>>) => Promise<Results>,
) => Promise<Results>;

/** Tests of one lab: each has boxes of its own, and waits more than it works. */
export interface LabTests {
  /** Those that run two at a time. */
  readonly together: readonly string[];
  /** Those that run one after the other. */
  readonly alone: readonly string[];
}

/**
 * Takes test files and what puts a lab around their run, and gives the results. The lab is a part
 * of the proof: when it does not come up, or not down, that counts as failed.
 */
export async function runOnLab(
  { together, alone }: LabTests,
  run: Omit<RunOptions, "parallel">,
  around: AroundLab,
): Promise<Results> {
  let results: Results | undefined;
  try {
    return await around(async (labEnv) => {
      const env = { ...run.env, ...labEnv, DENO_JOBS: "2" };
      results = await runTests(together, { ...run, env, parallel: true });
      return results = addResults([
        results,
        await runTests(alone, { ...run, env, parallel: false }),
      ]);
    });
  } catch (error) {
    console.error("test: the lab failed:", error);
    const files = [...together, ...alone];
    return results === undefined
      ? readResults("", files)
      : addResults([results, failedOutside("the lab", String(error))]);
  }
}

function testCommand(
  files: readonly string[],
  junit: string,
  { parallel, frozen, env }: RunOptions,
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", `--junit-path=${junit}`],
      ...(parallel ? ["--parallel"] : []),
      ...(frozen ? ["--frozen"] : []),
      ...files,
    ],
    cwd: PROJECT,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    // A group of its own, so that a hanging run ends together with what its tests started.
    detached: true,
    stdin: "null",
  });
}

async function runToEnd(command: Deno.Command, options: RunOptions): Promise<boolean> {
  const child = command.spawn();
  const end = (why: string): void => {
    console.error(`test: ${why}`);
    killGroup(child.pid);
  };
  const stop = (): void => end("stopped by a signal");
  options.signal.addEventListener("abort", stop);
  if (options.signal.aborted) stop();
  const timer = setTimeout(
    () =>
      end(
        `ended after ${options.deadlineSeconds} s: a test hangs, the one after the last result ` +
          "above; --deadline=SECONDS allows more",
      ),
    options.deadlineSeconds * 1000,
  );
  try {
    return (await child.status).success;
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", stop);
  }
}

function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch (error) {
    // It ended by itself just now.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Something that is no test and went wrong counts as a failed test. */
function failedOutside(what: string, message: string): Results {
  return { ...NOTHING, failed: 1, failures: [{ file: what, name: "", message }] };
}
