/** Bringing a lab up. */

import { installMissing, type Say } from "./apt.ts";
import { findBao } from "./bao_install.ts";
import { startBao } from "./bao_server.ts";
import { checkLab } from "./check.ts";
import { findCompose, pluginVersion } from "./compose.ts";
import { type DockerPrograms, engineNeeds, startEngine } from "./docker_engine.ts";
import { cleanRun } from "./down.ts";
import { BASE_IMAGE, importImage, pushImage } from "./image.ts";
import { labDir, type LabInfo, type ProcessRecord, readLab, writeLab } from "./info.ts";
import { makeKeys } from "./keys.ts";
import { withLock } from "./lock.ts";
import { REGISTRY_NEEDS, startRegistry } from "./registry.ts";

/** What `up` did. */
export interface UpResult {
  readonly lab: LabInfo;
  /** False when a healthy lab was there already. */
  readonly started: boolean;
}

/**
 * Brings the lab up, unless a healthy one is; a half-dead one is taken down first.
 *
 * @param say told what is installed and how long each part took
 * @param dir the lab's folder
 * @param programs Engine and compose to use; by default those of the machine, or Debian's
 * @returns the lab, every part answering
 * @throws Error naming the part that did not come up; what was started is stopped again
 */
export async function up(
  say: Say,
  dir: string = labDir(),
  programs?: DockerPrograms,
): Promise<UpResult> {
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  await Deno.chmod(dir, 0o700);
  return await withLock(dir, async () => {
    const old = await readLab(dir).catch(() => null);
    if (old !== null && (await checkLab(old)).every(({ isHealthy }) => isHealthy)) {
      return { lab: old, started: false };
    }
    if (old !== null) {
      say("the lab is half dead and starts anew: its secrets, images and containers are lost,");
      say("its ports change; restart the tenancy, then write config, grant and secrets again");
    }
    await cleanRun(dir, say);
    return { lab: await startAll(dir, say, programs), started: true };
  });
}

async function startAll(dir: string, say: Say, programs?: DockerPrograms): Promise<LabInfo> {
  const [runDir, cacheDir] = [`${dir}/run`, `${dir}/cache`];
  for (const folder of [runDir, cacheDir, `${runDir}/keys`]) {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  }
  const processes: ProcessRecord[] = [];
  // Written at once: a lab that is killed half way is cleaned by this.
  const keep = async (process: ProcessRecord): Promise<void> => {
    processes.push(process);
    await Deno.writeTextFile(`${runDir}/processes.json`, JSON.stringify(processes));
  };
  const part = <T>(name: string, run: () => Promise<T>): Promise<T> => timed(name, say, run);
  try {
    const installing = part("packages", () => installPackages(say, programs));
    const [compose, docker, registry, openbao] = await settleAll(
      part("compose plugin", () => takeCompose(cacheDir, say, programs?.plugin)),
      installing.then(() => part("docker", () => startDocker(runDir, keep, programs))),
      installing.then(() => part("registry", () => startAccounts(runDir, keep))),
      part("openbao", () => startOpenBao(runDir, cacheDir, installing, say, keep)),
    );
    await part("image in registry", () => pushImage({ docker, registry }, BASE_IMAGE));
    const lab: LabInfo = {
      format: 1,
      dir,
      startedAt: new Date().toISOString(),
      docker,
      compose,
      image: BASE_IMAGE,
      registry,
      ...openbao,
      processes,
    };
    await writeLab(lab);
    return lab;
  } catch (cause) {
    await cleanRun(dir, say);
    throw cause;
  }
}

/** Told of each process as soon as it runs. */
type Keep = (process: ProcessRecord) => Promise<void>;

async function installPackages(say: Say, programs?: DockerPrograms): Promise<void> {
  await installMissing([
    ...await engineNeeds(programs),
    { program: "busybox", packages: ["busybox-static"] },
    ...REGISTRY_NEEDS,
    { program: "openssl", packages: ["openssl"] },
  ], say);
}

async function takeCompose(
  cacheDir: string,
  say: Say,
  plugin?: string,
): Promise<LabInfo["compose"]> {
  if (plugin === undefined) return await findCompose(cacheDir, say);
  const version = await pluginVersion(plugin);
  if (version === null) throw new Error(`${plugin} does not run on this machine`);
  return { plugin, version };
}

async function startDocker(
  runDir: string,
  keep: Keep,
  programs?: DockerPrograms,
): Promise<LabInfo["docker"]> {
  const { docker, process } = await startEngine(runDir, programs);
  if (process !== null) await keep(process);
  await importImage({ docker }, BASE_IMAGE);
  return docker;
}

async function startAccounts(runDir: string, keep: Keep): Promise<LabInfo["registry"]> {
  const { registry, process } = await startRegistry(runDir);
  await keep(process);
  return registry;
}

async function startOpenBao(
  runDir: string,
  cacheDir: string,
  installing: Promise<void>,
  say: Say,
  keep: Keep,
): Promise<Pick<LabInfo, "bao" | "baoParts" | "keys">> {
  const making = installing.then(() => makeKeys(`${runDir}/keys`));
  const [binary, { certificate, keys }] = await settleAll(findBao(cacheDir, say), making);
  const baoParts = { binary, ...certificate };
  const handle = await startBao({ dir: `${runDir}/bao`, lab: { baoParts, keys } });
  await keep(handle.process);
  return { bao: handle.bao, baoParts, keys };
}

/** Runs one part; its name is in what is said and in what is thrown. */
async function timed<T>(name: string, say: Say, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    const result = await run();
    say(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return result;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name} did not come up: ${why}`, { cause });
  }
}

/** Like Promise.all, but waits for the others too: nothing may start behind a clean-up's back. */
async function settleAll<T extends readonly unknown[]>(
  ...parts: { [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const results = await Promise.allSettled(parts);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => result.status === "fulfilled" ? result.value : null) as
    & T
    & unknown[];
}
