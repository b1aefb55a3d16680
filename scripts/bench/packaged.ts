/** The agent as it is packaged: one bundled file, under the flags of production. */

import { parseConfig } from "../../src/config/parse.ts";
import { type Permissions, permissionsOf, toFlags } from "../../src/core/permissions.ts";
import { launchEnv } from "../agent/launch.ts";
import type { Measured } from "./interleaved.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const NOTHING: Permissions = { net: [], read: [], write: [], run: [], env: [], sys: [] };

/** Bundles the agent into the file; gives its path. Throws Error when it cannot be bundled. */
export async function bundleAgent(path: string): Promise<string> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "-q",
      "--minify",
      "--config",
      `${ROOT}deno.json`,
      "-o",
      path,
      `${ROOT}main.ts`,
    ],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`cannot bundle: ${new TextDecoder().decode(stderr)}`);
  return path;
}

/** How a script is run. */
export interface Packaged {
  readonly flags: readonly string[];
  /** Deno's cache: one of its own, as the launcher has it, since other flags would spoil what is in it. */
  readonly cacheDir: string;
}

/** Gives the command that runs a script as the launcher runs the agent. */
export function packagedCommand(
  script: string,
  argv: readonly string[],
  { flags, cacheDir }: Packaged,
): Measured {
  return {
    argv: [Deno.execPath(), "run", "-q", ...flags, script, ...argv],
    env: launchEnv({
      PATH: Deno.env.get("PATH"),
      HOME: Deno.env.get("HOME"),
      DENO_DIR: cacheDir,
    }),
  };
}

/** Gives the flags that the agent prints for a config; without one, those of a program that may nothing. */
export function packagedFlags(configPath: string | null): readonly string[] {
  if (configPath === null) return toFlags(NOTHING, "package");
  const { config } = parseConfig(Deno.readTextFileSync(configPath));
  return toFlags(permissionsOf(config, { configPath }), "package");
}
