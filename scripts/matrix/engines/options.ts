import { parseArgs } from "@std/cli/parse-args";

/** What `deno task engines` was asked for. */
export interface EnginesOptions {
  /** Files and folders below tests/real; empty for the chosen ones. */
  readonly wanted: readonly string[];
  /** After how many seconds the run of the tests counts as hanging. */
  readonly deadlineSeconds: number;
}

/** How to call it. */
export const USAGE = `usage: deno task engines [FILE|FOLDER]... [options]
  --all               every test that needs the lab, not the chosen ones alone
  --deadline=SECONDS  end a run of the tests that takes longer (default 1800, with --all 3600)`;

/**
 * Takes the command line and gives what it asks for.
 *
 * @throws {Error} When it holds an unknown option, a deadline that is no number, or --all and files.
 */
export function parseEnginesOptions(args: readonly string[]): EnginesOptions {
  const unknown: string[] = [];
  const parsed = parseArgs(args, {
    boolean: ["all"],
    string: ["_", "deadline"],
    unknown: (arg, key) => key === undefined || (unknown.push(arg), false),
  });
  if (unknown.length > 0) throw new Error(`Unknown option: ${unknown.join(", ")}`);
  if (parsed.all && parsed._.length > 0) throw new Error("Name files or --all, not both");
  const deadlineSeconds = Number(parsed.deadline ?? (parsed.all ? "3600" : "1800"));
  if (!(deadlineSeconds > 0)) throw new Error("--deadline must be a number of seconds");
  return { wanted: parsed.all ? ["tests/real"] : parsed._.map(String), deadlineSeconds };
}
