/** Taking a lab down. */

import type { Say } from "./apt.ts";
import { labDir, type ProcessRecord, readLab } from "./info.ts";
import { withLock } from "./lock.ts";
import { isRunning, stopProcess } from "./process.ts";
import { emptyEngine, removeTraces } from "./traces.ts";

/**
 * Stops what the lab started and removes its run folder; no error when there is no lab. An Engine
 * that was there before stays, with whatever was put into it.
 *
 * @param say told what is stopped
 * @param options `purge`: remove the downloads as well; `dir`: the lab's folder
 * @throws Error when something of it cannot be unmounted or removed
 */
export async function down(
  say: Say,
  options: { readonly purge?: boolean; readonly dir?: string } = {},
): Promise<void> {
  const dir = options.dir ?? labDir();
  if (!await Deno.stat(dir).then(() => true, () => false)) return;
  await withLock(dir, () => cleanRun(dir, say));
  if (options.purge === true) await Deno.remove(dir, { recursive: true });
}

/**
 * The same for those who hold the lock.
 *
 * @param dir the lab's folder
 * @param say told what is stopped
 * @throws Error when something of it cannot be unmounted or removed
 */
export async function cleanRun(dir: string, say: Say): Promise<void> {
  const runDir = `${dir}/run`;
  const processes: ProcessRecord[] = [];
  for (const process of await knownProcesses(dir)) {
    if (await isRunning(process)) processes.push(process);
  }
  if (processes.length > 0) {
    say(`stopping ${processes.map(({ name, pid }) => `${name} (pid ${pid})`).join(", ")}`);
  }
  const hasEngine = processes.some(({ name }) => name === "dockerd");
  if (hasEngine) await emptyEngine(`${runDir}/docker.sock`);
  await Promise.all(processes.map((process) => stopProcess(process, 20_000)));
  await removeTraces(runDir);
  await Deno.remove(`${dir}/lab.json`).catch(() => {});
}

/** From the lab's description, and from what an `up` that did not finish had started. */
async function knownProcesses(dir: string): Promise<ProcessRecord[]> {
  const lab = await readLab(dir).catch(() => null);
  const started = await Deno.readTextFile(`${dir}/run/processes.json`).catch(() => "[]");
  const all = [...lab?.processes ?? [], ...parseRecords(started)];
  return [...new Map(all.map((process) => [process.pid, process])).values()];
}

function parseRecords(text: string): ProcessRecord[] {
  try {
    return JSON.parse(text);
  } catch {
    // Cut short by a kill; what it named is found by `removeTraces` or is gone.
    return [];
  }
}
