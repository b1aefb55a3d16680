/**
 * Runs the agent from source under the permission flags that its config yields:
 * `deno task tick --config FILE`, `deno task agent COMMAND …`. Only wires: launch.ts decides the flags
 * and the environment, child.ts runs.
 */

import { runChild } from "./agent/child.ts";
import { launchEnv, launchFlags } from "./agent/launch.ts";

const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname);
const MAIN = `${ROOT}main.ts`;
const CONFIG = `${ROOT}deno.json`;

function readText(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}

/** The agent runs with --cached-only, so what it imports must be there; says nothing when it is. */
async function fillCache(): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "-q", "--config", CONFIG, MAIN],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (!success) console.error("the agent's modules could not all be fetched");
}

/** `deno task` changes into the project's folder; INIT_CWD is where the person stands. */
const folder = Deno.env.get("INIT_CWD") ?? Deno.cwd();

await fillCache();
const flags = launchFlags(Deno.args, { folder, read: readText });
Deno.exitCode = await runChild({
  args: ["run", "-q", "--config", CONFIG, ...flags, MAIN, ...Deno.args],
  cwd: folder,
  env: launchEnv(Deno.env.toObject()),
});
