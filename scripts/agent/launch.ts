/**
 * How the agent is started from source: a command line and its config → the flags and environment of
 * the Deno that runs main.ts. Decides; scripts/agent.ts acts.
 */

import { type Command, parseCommand } from "../../src/cli/args.ts";
import { DEFAULT_CONFIG_PATH } from "../../src/cli/command_table.ts";
import { readConfig } from "../../src/config/parse.ts";
import { minimalPermissions, permissionsOf, toFlags } from "../../src/core/permissions.ts";

/** What the launch looks at. */
export interface LaunchFacts {
  /** The folder that relative paths are meant from. */
  readonly folder: string;
  /** Gives a file's text, or null when it cannot be read. */
  readonly read: (path: string) => string | null;
}

/**
 * Takes the agent's command line; gives Deno's permission flags for it. A command line or config that
 * is wrong gets flags that only let the agent itself say so, with its own message and exit code.
 */
export function launchFlags(
  argv: readonly string[],
  { folder, read }: LaunchFacts,
): readonly string[] {
  let command: Command;
  try {
    command = parseCommand(argv);
  } catch {
    return toFlags(minimalPermissions({ configPath: DEFAULT_CONFIG_PATH }), "source");
  }
  const { config, name } = command;
  const configPath = config.startsWith("/") ? config : `${folder}/${config}`;
  const text = read(configPath);
  const reading = text === null ? null : readConfig(text);
  const permissions = reading === null || "problems" in reading
    ? minimalPermissions({ configPath })
    : permissionsOf(reading.config, { configPath, of: name === "doctor" ? "doctor" : "tick" });
  return toFlags(permissions, "source");
}

/** Passed on when set: where programs and Deno's cache are, the terminal, Deno's own audit. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "TERM",
  "NO_COLOR",
  "JOURNAL_STREAM",
  "INVOCATION_ID",
  "DENO_AUDIT_PERMISSIONS",
  "DENO_TRACE_PERMISSIONS",
] as const;

/** Takes the surrounding environment; gives the agent's: no proxies, no update check, the system's CAs. */
export function launchEnv(
  surrounding: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const env: Record<string, string> = { DENO_NO_UPDATE_CHECK: "1", DENO_TLS_CA_STORE: "system" };
  for (const name of PASSED_ON) {
    const value = surrounding[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
