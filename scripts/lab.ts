/** `deno task lab up|down|status`: the real parts that tests, demo and development need. */

import { parseArgs } from "@std/cli/parse-args";
import {
  checkLab,
  down,
  labDir,
  type LabInfo,
  putSecret,
  readLab,
  sayOnStderr,
  up,
} from "./lab/mod.ts";

const USAGE = `Usage: deno task lab <command>

  up              start Docker Engine, registry and OpenBao, unless they run
  down [--purge]  stop them and remove what they wrote; --purge: the downloads too
  secret ENV PATH KEY=VALUE...
                  write a secret of an environment, as its bundles find it
  status          say what runs; exit 0 when all is well, 1 when not

The lab lives in .lab, or in the folder that MONKY_LAB_DIR names.
MONKY_LAB_DOCKER_HOST=unix:///path makes it use that Docker Engine.`;

/** Runs the command and gives the exit code. */
async function main(args: string[]): Promise<number> {
  const { _: words, purge, help } = parseArgs(args, { boolean: ["purge", "help"] });
  if (help) {
    console.log(USAGE);
    return 0;
  }
  switch (words.length === 1 ? words[0] : "") {
    case "up":
      return await runUp();
    case "down":
      await down(sayOnStderr, { purge });
      return 0;
    case "status":
      return await printStatus();
    default:
      if (words[0] === "secret") return await writeSecret(words.slice(1).map(String));
      console.error(USAGE);
      return 2;
  }
}

async function writeSecret(words: readonly string[]): Promise<number> {
  const problem = secretProblem(words);
  if (problem !== null) {
    console.error(`lab secret: ${problem}\n\n${USAGE}`);
    return 2;
  }
  const lab = await readLab();
  if (lab === null) {
    console.error(`not up: start it with "deno task lab up"`);
    return 1;
  }
  const [env = "", path = "", ...pairs] = words;
  const data = Object.fromEntries(pairs.map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  }));
  const version = await putSecret(lab, env, path, data);
  console.log(`${env} has version ${version} of ${path}: ${Object.keys(data).join(", ")}`);
  return 0;
}

/** Takes the words after `secret`; gives what is wrong with them, without any value, or null. */
export function secretProblem([env, path, ...pairs]: readonly string[]): string | null {
  if (env === undefined) return "ENV is missing, e.g. env-dev";
  if (!/^[a-z0-9-]+$/.test(env)) {
    return `ENV is made of a-z, 0-9 and -, not ${JSON.stringify(env)}`;
  }
  if (path === undefined) return `PATH is missing: where the secret of ${env} lies`;
  if (path.includes("=")) return "PATH is missing: a KEY=VALUE stands in its place";
  if (pairs.length === 0) return `no KEY=VALUE after ${path}`;
  const bad = pairs.findIndex((pair) => pair.indexOf("=") <= 0);
  return bad < 0 ? null : `word ${bad + 1} after ${path} is no KEY=VALUE`;
}

async function runUp(): Promise<number> {
  const start = performance.now();
  const { started } = await up(sayOnStderr);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  sayOnStderr(started ? `up after ${seconds} s` : `was up already (${seconds} s)`);
  return await printStatus();
}

async function printStatus(): Promise<number> {
  const lab = await readLab();
  if (lab === null) {
    console.log(`not up (${labDir()}): start it with "deno task lab up"`);
    return 1;
  }
  const parts = await checkLab(lab);
  console.log(`lab in ${lab.dir}, up since ${lab.startedAt}`);
  for (const { part, isHealthy, detail } of parts) {
    console.log(`  ${isHealthy ? "ok  " : "FAIL"} ${part.padEnd(9)} ${detail}`);
  }
  console.log(`\n${exportsOf(lab).join("\n")}`);
  return parts.every(({ isHealthy }) => isHealthy) ? 0 : 1;
}

/** Takes a lab; gives the lines for a shell that is to use its parts by hand. No token's value. */
export function exportsOf({ dir, docker, bao }: LabInfo): readonly string[] {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    `export DOCKER_HOST=${quoted(docker.host)}`,
    `export BAO_ADDR=${quoted(bao.address)} BAO_CACERT=${quoted(bao.caFile)}`,
    `# BAO_TOKEN: "rootToken" in ${dir}/lab.json`,
  ];
}

if (import.meta.main) {
  try {
    Deno.exitCode = await main(Deno.args);
  } catch (cause) {
    console.error(`lab: ${cause instanceof Error ? cause.message : String(cause)}`);
    Deno.exitCode = 1;
  }
}
