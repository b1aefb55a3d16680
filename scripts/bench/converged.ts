/**
 * The converged tick, bundled and under the flags of production, beside an empty program on the same
 * runtime and beside Python's standard library doing the same work.
 */

import { launchEnv } from "../agent/launch.ts";
import { makeBox } from "../box/box.ts";
import type { LabInfo } from "../lab/info.ts";
import { VERSION } from "../../src/version.ts";
import { type Figures, findPython, measure } from "./interleaved.ts";
import { bundleAgent, packagedCommand, packagedFlags } from "./packaged.ts";

const PYTHON_TICK = new URL("converged_tick.py", import.meta.url).pathname;

/** What is compared, by name: `agent`, `empty`, `python`. */
export type ConvergedFigures = Readonly<Record<string, Figures>>;

/** Makes a box, converges it, and measures. Throws Error when the box does not converge. */
export async function measureConverged(lab: LabInfo, rounds: number): Promise<ConvergedFigures> {
  await using box = await makeBox(lab);
  await box.reveal();
  await box.tenancy.publish(box.env, {
    "docker-compose.yml": "services:\n  web:\n    image: lab/bb:1\n    init: true\n" +
      '    command: ["sleep", "3600"]\n',
  });
  for (let turn = 0; turn < 2; turn++) {
    const { code, stderr } = await box.tick();
    if (code !== 0) throw new Error(`the box does not converge:\n${stderr}`);
  }
  const bundled = await bundleAgent(`${box.dir}/main.js`);
  const empty = `${box.dir}/empty.js`;
  await Deno.writeTextFile(empty, "");
  const python = await writePythonConfig(box.dir, {
    env_id: box.env,
    site: "lab",
    version: VERSION,
    project: box.project,
    state_dir: box.stateDir,
    docker_socket: box.paths.docker.address,
    tenancy_addr: box.paths.tenancy.address,
  });
  const argv = ["tick", "--config", box.configPath];
  const cacheDir = `${box.dir}/cache`;
  const env = launchEnv({ PATH: Deno.env.get("PATH"), HOME: Deno.env.get("HOME") });
  const commands = {
    empty: packagedCommand(empty, [], { flags: packagedFlags(null), cacheDir }),
    agent: packagedCommand(bundled, argv, { flags: packagedFlags(box.configPath), cacheDir }),
    python: { argv: [await findPython(), "-I", "-S", PYTHON_TICK, python], env },
  };
  return await measure(commands, { rounds, warmup: 3 });
}

async function writePythonConfig(dir: string, config: object): Promise<string> {
  const path = `${dir}/python.json`;
  await Deno.writeTextFile(path, JSON.stringify(config));
  return path;
}
