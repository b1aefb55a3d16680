/**
 * What an apply costs over running the same compose commands by hand: config, pull, up, and the wait
 * of `settle_s`, on two projects of the same three services, in turn.
 */

import { makeBox } from "../box/box.ts";
import type { Box } from "../box/box.ts";
import { removeProject } from "../box/project.ts";
import type { LabInfo } from "../lab/mod.ts";
import type { Measured } from "./interleaved.ts";
import { bundleAgent, packagedCommand, packagedFlags } from "./packaged.ts";

/** Milliseconds, medians of all rounds. */
export interface ApplyFigures {
  readonly agentMs: number;
  readonly byHandMs: number;
  /** By which the agent took longer in the same round: what else the machine does is in both. */
  readonly moreMs: number;
}

const SETTLE_MS = 1_000;

/** Applies a new revision in each round, both ways. Throws Error when one of them fails. */
export async function measureApply(lab: LabInfo, rounds: number): Promise<ApplyFigures> {
  await using box = await makeBox(lab, { config: { docker: { compose: lab.compose.plugin } } });
  const project = `by-hand-${box.env}`;
  await box.reveal();
  const argv = ["tick", "--config", box.configPath];
  const bundled = await bundleAgent(`${box.dir}/main.js`);
  const agent = packagedCommand(bundled, argv, {
    flags: packagedFlags(box.configPath),
    cacheDir: `${box.dir}/cache`,
  });
  const agentMs: number[] = [];
  const byHandMs: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const compose = services(round);
      await box.tenancy.publish(box.env, { "docker-compose.yml": compose });
      const once = {
        agent: await timed(() => run(agent)),
        hand: await byHand(box, project, compose),
      };
      // The first round starts everything from nothing, the others replace what runs.
      if (round === 0) continue;
      agentMs.push(once.agent);
      byHandMs.push(once.hand);
    }
  } finally {
    await removeProject(lab, project);
  }
  return {
    agentMs: median(agentMs),
    byHandMs: median(byHandMs),
    moreMs: median(agentMs.map((ms, round) => ms - (byHandMs[round] ?? NaN))),
  };
}

/** Gives the figures as lines. */
export function showApply({ agentMs, byHandMs, moreMs }: ApplyFigures): string {
  const percent = ((moreMs / byHandMs) * 100).toFixed(1);
  return `an apply of three services: config, pull, up, and ${SETTLE_MS} ms of settle_s\n\n` +
    `by hand   ${byHandMs.toFixed(0).padStart(6)} ms\n` +
    `agent     ${agentMs.toFixed(0).padStart(6)} ms   ` +
    `${moreMs.toFixed(0)} ms more in the same round, ${percent} %\n`;
}

function services(revision: number): string {
  const service = (name: string): string =>
    `  ${name}:\n    image: lab/bb:1\n    init: true\n    command: ["sleep", "3600"]\n` +
    `    stop_grace_period: 1s\n    environment: ["REVISION=${revision}"]\n`;
  return `services:\n${["a", "b", "c"].map(service).join("")}`;
}

async function byHand(box: Box, project: string, compose: string): Promise<number> {
  const dir = `${box.dir}/by-hand`;
  await Deno.mkdir(dir, { recursive: true });
  await Deno.writeTextFile(`${dir}/docker-compose.yml`, compose);
  const command = (...words: string[]): Measured => ({
    argv: [
      ...[box.lab.compose.plugin, "--ansi", "never", "-p", project],
      ...["-f", `${dir}/docker-compose.yml`, ...words],
    ],
    env: { PATH: "/nonexistent", HOME: dir, DOCKER_HOST: `unix://${box.paths.docker.address}` },
  });
  return await timed(async () => {
    await run(command("config", "-q"));
    await run(command("pull", "--policy", "missing"));
    await run(command("up", "-d", "--remove-orphans"));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  });
}

async function run({ argv: [program = "", ...args], env }: Measured): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
