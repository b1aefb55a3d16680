import { parseArgs } from "@std/cli/parse-args";

/** What `deno task test` was asked for. */
export interface TestOptions {
  /** Files and folders to run; all when empty. */
  readonly wanted: readonly string[];
  /** Leave out what needs the lab. */
  readonly fast: boolean;
  /** Leave the lab running afterwards. */
  readonly keepLab: boolean;
  /** After how many seconds a run counts as hanging. */
  readonly deadlineSeconds: number;
}

/** How to call it. */
export const USAGE = `usage: deno task test [FILE|FOLDER]... [options]
  --fast              leave out tests/real, which needs the lab
  --keep-lab          leave the lab running for the next time
  --deadline=SECONDS  end a run that takes longer (default 1800)`;

/**
 * Takes the command line and gives what it asks for.
 *
 * @throws {Error} When it holds an unknown option or a deadline that is no number.
 */
export function parseTestOptions(args: readonly string[]): TestOptions {
  const unknown: string[] = [];
  const parsed = parseArgs(args, {
    boolean: ["fast", "keep-lab"],
    string: ["_", "deadline"],
    default: { deadline: "1800" },
    unknown: (arg, key) => key === undefined || (unknown.push(arg), false),
  });
  if (unknown.length > 0) throw new Error(`Unknown option: ${unknown.join(", ")}`);
  const deadlineSeconds = Number(parsed.deadline);
  if (!(deadlineSeconds > 0)) throw new Error(`--deadline must be a number of seconds`);
  return {
    wanted: parsed._.map(String),
    fast: parsed.fast,
    keepLab: parsed["keep-lab"],
    deadlineSeconds,
  };
}
