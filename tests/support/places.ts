/** Every place where a box could have left a secret, read from outside. */

import type { Box, RunningAgent } from "../../scripts/box/box.ts";
import type { AgentRun } from "../../scripts/box/run.ts";
import { dockerCall } from "../../scripts/lab/docker_api.ts";
import { latin1 } from "./canary.ts";

/** A place's name for a person, and its bytes in latin-1. */
export interface Place {
  readonly where: string;
  readonly text: string;
}

/** A file of the box. */
export interface BoxFile extends Place {
  readonly mode: number;
}

/** Gives every file of the box: state, releases, config, logs of the harness, whatever lies there. */
export async function boxFiles(folder: string): Promise<readonly BoxFile[]> {
  const files: BoxFile[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const where = `${folder}/${entry.name}`;
    if (entry.isDirectory) files.push(...await boxFiles(where));
    if (!entry.isFile) continue;
    const mode = ((await Deno.lstat(where)).mode ?? 0) & 0o7777;
    files.push({ where, mode, text: latin1(await Deno.readFile(where)) });
  }
  return files;
}

/** Gives what a run printed and started. */
export function runPlaces(scene: string, run: AgentRun): readonly Place[] {
  return [
    { where: `${scene}: the log`, text: latin1(run.stderr) },
    { where: `${scene}: the output`, text: latin1(run.stdout) },
    ...run.children.map((text) => ({ where: `${scene}: a child's arguments`, text: latin1(text) })),
  ];
}

/** Gives everything that tenancy got. */
export function tenancyPlaces({ tenancy }: Box): readonly Place[] {
  const { requests, reports, checkins, leases } = tenancy.record;
  return [
    ...requests.map(({ call, target, headers, body }) => ({
      where: `tenancy got a ${call ?? target}`,
      text: latin1(JSON.stringify([target, headers, body])),
    })),
    {
      where: "tenancy's reports and check-ins",
      text: latin1(JSON.stringify([reports, checkins, leases])),
    },
  ];
}

/** Gives what the Engine tells of the project's containers, but for the environment inside. */
export async function enginePlaces(box: Box): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const { Id } of await box.containers()) {
    const text = await dockerCall(box.lab.docker.socket, "GET", `/containers/${Id}/json`);
    const shown = JSON.parse(text) as { Config: { Env?: unknown } };
    delete shown.Config.Env;
    places.push({ where: `container ${Id.slice(0, 12)}`, text: latin1(JSON.stringify(shown)) });
  }
  return places;
}

/**
 * Watches a running agent and all its descendants until it ends: the command line and environment of
 * each, as the kernel shows them to everybody who may look.
 */
export async function watchProcesses(
  scene: string,
  agent: RunningAgent,
): Promise<{ readonly run: AgentRun; readonly places: readonly Place[] }> {
  const seen = new Map<string, Place>();
  let over = false;
  const ended = agent.ended.finally(() => {
    over = true;
  });
  while (!over) {
    for (const pid of descendants(agent.pid)) {
      for (const view of ["cmdline", "environ"]) {
        const text = readQuietly(`/proc/${pid}/${view}`);
        if (text === "") continue;
        seen.set(`${view} ${text}`, { where: `${scene}: /proc/${pid}/${view}`, text });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  return { run: await ended, places: [...seen.values()] };
}

function descendants(root: number): readonly number[] {
  const found = [root];
  for (const pid of found) {
    const children = readQuietly(`/proc/${pid}/task/${pid}/children`).trim();
    if (children !== "") found.push(...children.split(" ").map(Number));
  }
  return found;
}

function readQuietly(path: string): string {
  try {
    return latin1(Deno.readFileSync(path));
  } catch {
    return "";
  }
}
