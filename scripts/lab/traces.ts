/** What a killed Engine leaves behind: processes, bridges, mounts. All are found by the lab's path. */

import { dockerCall } from "./docker_api.ts";
import { readStartTime, run, signalProcess } from "./process.ts";
import { waitFor } from "./wait.ts";

const DYING_MS = 30_000;

/**
 * The bridge of an own Engine.
 *
 * @param runDir the lab's run folder, absolute
 * @returns 15 characters, the most an interface's name may have; the same for the same folder
 */
export async function bridgeName(runDir: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(runDir));
  return `monkylab-${new Uint8Array(digest).toHex().slice(0, 6)}`;
}

/**
 * Removes every container and network of an own Engine, so that stopping it leaves nothing in the
 * kernel. Best effort: an Engine that does not answer is left to `removeTraces`.
 *
 * @param socket the Engine's socket; it must be one that the lab started
 */
export async function emptyEngine(socket: string): Promise<void> {
  const list = async (path: string): Promise<{ Id: string; Name?: string }[]> =>
    JSON.parse(await dockerCall(socket, "GET", path, { timeoutMs: 5_000 }));
  const remove = (path: string): Promise<string> => dockerCall(socket, "DELETE", path);
  try {
    const containers = await list("/containers/json?all=1");
    await Promise.allSettled(containers.map(({ Id }) => remove(`/containers/${Id}?force=1&v=1`)));
    const networks = (await list("/networks"))
      .filter(({ Name = "" }) => !["bridge", "host", "none"].includes(Name));
    await Promise.allSettled(networks.map(({ Id }) => remove(`/networks/${Id}`)));
  } catch {
    // It is about to be stopped anyway.
  }
}

/**
 * Removes what is left of a lab's run folder after its processes were stopped.
 *
 * @param runDir the run folder, absolute; it may be gone
 * @throws Error when something in it cannot be unmounted or removed
 */
export async function removeTraces(runDir: string): Promise<void> {
  await killLeftovers(runDir);
  await removeBridges(runDir);
  await unmountAll(runDir);
  try {
    await Deno.remove(runDir, { recursive: true });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
  }
}

/**
 * Servers that nobody has a record of, because an `up` was killed; containerd and its shims, with
 * the containers below them. All of them have a path of the run folder in their argv.
 */
async function killLeftovers(runDir: string): Promise<void> {
  const pids: number[] = [];
  for await (const entry of Deno.readDir("/proc")) {
    const pid = Number(entry.name);
    if (Number.isInteger(pid) && await isLeftover(pid, runDir)) pids.push(pid);
  }
  if (pids.length === 0) return;
  const children = (await Promise.all(pids.map(childrenOf))).flat();
  const dying: { readonly pid: number; readonly startTime: number | null }[] = [];
  for (const pid of [...pids, ...children]) {
    dying.push({ pid, startTime: await readStartTime(pid) });
    signalProcess(pid, "SIGKILL");
  }
  // Their mounts become free only once they are gone.
  await waitFor("the end of what a killed lab left", DYING_MS, async () => {
    const now = await Promise.all(dying.map(({ pid }) => readStartTime(pid)));
    return now.every((time, at) => time === null || time !== dying[at]?.startTime) || null;
  });
}

async function isLeftover(pid: number, runDir: string): Promise<boolean> {
  const argv = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
  const [program = "", ...args] = argv.split("\0");
  const name = program.slice(program.lastIndexOf("/") + 1);
  const isOurs = /^(dockerd|containerd|containerd-shim.*|docker-registry|bao)$/.test(name);
  return isOurs && args.some((argument) => argument.includes(`${runDir}/`));
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`).catch(() => "");
  return text.trim().split(" ").filter((part) => part !== "").map(Number);
}

/** Bridges of networks are `br-<start of the network's id>`, and the Engine's store has the ids. */
async function removeBridges(runDir: string): Promise<void> {
  const own = await bridgeName(runDir);
  if (await Deno.stat(`/sys/class/net/${own}`).then(() => true, () => false)) {
    await run(["ip", "link", "del", own]);
  }
  const store = await Deno.readFile(`${runDir}/docker/network/files/local-kv.db`).catch(() => null);
  if (store === null) return;
  const text = new TextDecoder("latin1").decode(store);
  for await (const entry of Deno.readDir("/sys/class/net")) {
    const id = /^br-([0-9a-f]{12})$/.exec(entry.name)?.[1];
    if (id !== undefined && text.includes(id)) await run(["ip", "link", "del", entry.name]);
  }
}

async function unmountAll(runDir: string): Promise<void> {
  const mounts = await Deno.readTextFile("/proc/self/mounts");
  const points = mounts.split("\n")
    .map((line) => (line.split(" ")[1] ?? "").replaceAll("\\040", " "))
    .filter((point) => point.startsWith(`${runDir}/`))
    .reverse();
  for (const point of points) await run(["umount", "-l", point]);
}
