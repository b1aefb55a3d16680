/** The demo's command line: what it takes, and how that is told. */

import { parseArgs } from "@std/cli/parse-args";

/** What `deno task demo` was asked for. */
export interface DemoOptions {
  /** One line of JSON a scene on stdout, all else on stderr. */
  readonly json: boolean;
  /** Leave the lab running. */
  readonly keep: boolean;
  readonly help: boolean;
}

/** How to call it. */
export const USAGE = `usage: deno task demo [options]
  --json  one line of JSON for each scene on stdout, everything else on stderr
  --keep  leave the lab running for the next time
  --help  this text

Shows the life of one box in scenes, on a real Docker Engine and a real OpenBao. Exits 0 when every
scene went as it should.`;

/**
 * Takes the command line; gives what it asks for.
 *
 * @throws {Error} When it holds anything unknown.
 */
export function parseDemoOptions(args: readonly string[]): DemoOptions {
  const unknown: string[] = [];
  // `deno task demo -- --json` hands the two dashes on.
  const words = args[0] === "--" ? args.slice(1) : args;
  const parsed = parseArgs([...words], {
    boolean: ["json", "keep", "help"],
    unknown: (arg) => (unknown.push(arg), false),
  });
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}`);
  return { json: parsed.json, keep: parsed.keep, help: parsed.help };
}
