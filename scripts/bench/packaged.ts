/** The agent as it is packaged: one bundled file, under the flags of production. */

import { launchEnv, launchFlags } from "../agent/launch.ts";
import type { Measured } from "./interleaved.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** What the packaged launcher passes besides the grants (facts: deno §9). */
const SEALED = [
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-npm",
  "--no-remote",
  "--cached-only",
];

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

/** Gives the command that runs a script as the launcher runs the agent. */
export function packagedCommand(
  script: string,
  argv: readonly string[],
  grants: readonly string[],
): Measured {
  return {
    argv: [Deno.execPath(), "run", "-q", ...SEALED, ...grants, script, ...argv],
    env: launchEnv({ PATH: Deno.env.get("PATH"), HOME: Deno.env.get("HOME") }),
  };
}

/** Gives the grants that the config of the command line yields. */
export function grantsOf(argv: readonly string[]): readonly string[] {
  const read = (path: string): string => Deno.readTextFileSync(path);
  return launchFlags(argv, { folder: ROOT, read }).filter((flag) => flag.startsWith("--allow-"));
}
