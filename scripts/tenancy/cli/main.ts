// The command line of the tenancy: arguments in, exit code out.

import { parseArgs } from "@std/cli/parse-args";
import { defaultFolder } from "../admin_file.ts";
import { CommandFailed } from "./admin_client.ts";
import { RUNNERS, UsageError } from "./commands.ts";
import type { Options } from "./options.ts";
import { serve } from "./serve.ts";
import { type CommandHelp, commandHelp, COMMANDS, generalHelp } from "./usage.ts";

/** Where a command writes, and what stops `serve`. */
export interface Terminal {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly stop: AbortSignal;
}

const EXIT_FAILED = 1;
const EXIT_USAGE = 64;

/** Runs one command line. Gives 0, 1 for a command that failed, 64 for one nobody understands. */
export async function runTenancy(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    terminal.out(generalHelp());
    return name === undefined ? EXIT_USAGE : 0;
  }
  const help = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (help === undefined) {
    terminal.err(`there is no command "${name}"; see: deno task tenancy --help`);
    return EXIT_USAGE;
  }
  try {
    const options = parseOptions(rest, help);
    if (options.switches.has("help")) terminal.out(commandHelp(name, help));
    else if (name === "serve") await serve(options, terminal.out, terminal.stop);
    else for (const line of await RUNNERS[name]?.(options) ?? []) terminal.out(line);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.err(`${error.message}\nusage: deno task tenancy ${help.usage}`);
      return EXIT_USAGE;
    }
    if (!(error instanceof CommandFailed)) throw error;
    terminal.err(error.message);
    return EXIT_FAILED;
  }
}

function parseOptions(args: readonly string[], help: CommandHelp): Options {
  const values = [...help.values, "dir"];
  const switches = [...help.switches, "help"];
  const parsed: Record<string, unknown> = parseArgs([...args], {
    string: ["_", ...values],
    boolean: switches,
    alias: { h: "help" },
    unknown: (argument, key) => {
      if (key !== undefined) throw new UsageError(`there is no option ${argument}`);
    },
  });
  const given = (name: string): string | undefined => {
    const value = parsed[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    folder: given("dir") ?? defaultFolder(),
    args: (parsed["_"] as unknown[]).map(String),
    values: Object.fromEntries(values.map((name) => [name, given(name)])),
    switches: new Set(switches.filter((name) => parsed[name] === true)),
  };
}
