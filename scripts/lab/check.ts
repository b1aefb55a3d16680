/** Whether the parts of a lab answer. */

import { BaoClient } from "./bao_client.ts";
import { dockerIdentity } from "./docker_api.ts";
import type { BaoInfo, LabInfo } from "./info.ts";
import { isRunning } from "./process.ts";
import { registryAnswers } from "./registry.ts";

/** One part and how it is. */
export interface PartState {
  /** `docker`, `compose`, `registry`, `openbao`. */
  readonly part: string;
  readonly isHealthy: boolean;
  /** For a person: version and address, or what is wrong. */
  readonly detail: string;
}

/**
 * Asks every part of a lab.
 *
 * @param lab what `readLab` gave
 * @returns one entry a part, in a fixed order; takes at most about 15 s: a slow one is not dead
 */
export async function checkLab(lab: LabInfo): Promise<PartState[]> {
  const { docker, compose, registry, bao } = lab;
  const [engine, hasPlugin, hasRegistry, baoState] = await Promise.all([
    dockerIdentity(docker.socket),
    Deno.stat(compose.plugin).then(() => true, () => false),
    registryAnswers(registry.address),
    baoHealth(bao),
  ]);
  const dead = new Set<string>();
  for (const process of lab.processes) {
    if (!await isRunning(process)) dead.add(process.name);
  }
  const part = (name: string, process: string, isHealthy: boolean, detail: string): PartState =>
    dead.has(process)
      ? { part: name, isHealthy: false, detail: `the process ${process} is gone` }
      : { part: name, isHealthy, detail: isHealthy ? detail : `no good answer: ${detail}` };
  const owner = docker.own ? "the lab's own" : "was here already";
  return [
    part("docker", "dockerd", engine !== null, `${docker.version} at ${docker.host} (${owner})`),
    part("compose", "", hasPlugin, `${compose.version} at ${compose.plugin}`),
    part(
      "registry",
      "registry",
      hasRegistry,
      `http://${registry.address}, user ${registry.username}`,
    ),
    part("openbao", "bao", baoState === "active", `${bao.address}, ${baoState}, CA ${bao.caFile}`),
  ];
}

async function baoHealth(bao: BaoInfo): Promise<string> {
  try {
    using client = await BaoClient.open(bao);
    const { status } = await client.request("GET", "sys/health", { timeoutMs: 15_000 });
    return status === 200 ? "active" : status === 503 ? "sealed" : `health ${status}`;
  } catch {
    return "does not answer";
  }
}
