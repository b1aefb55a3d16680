/** The lab's Docker Engine: the one that is there, or a private dockerd that leaves no traces. */

import type { Need } from "./apt.ts";
import { dockerIdentity } from "./docker_api.ts";
import type { DockerInfo, ProcessRecord } from "./info.ts";
import { assertRunning, findProgram, run, runChecked, startServer } from "./process.ts";
import { bridgeName } from "./traces.ts";
import { waitFor } from "./wait.ts";

const SYSTEM_SOCKET = "/var/run/docker.sock";
/** sockaddr_un takes 108 bytes on Linux and 104 elsewhere, the closing NUL included. */
const MAX_SOCKET_BYTES = 103;

/** An Engine and, when the lab started it, its process. */
export interface EngineStart {
  readonly docker: DockerInfo;
  readonly process: ProcessRecord | null;
}

/** Docker's programs in folders of their own, to be used in place of what the machine has. */
export interface DockerPrograms {
  /** Searched before PATH; `dockerd` and `docker-proxy` are in one of them, `containerd` may be. */
  readonly folders: readonly string[];
  /** Path of the compose plugin. */
  readonly plugin: string;
}

const NETWORK_NEEDS: readonly Need[] = [
  { program: "iptables", packages: ["iptables"] },
  { program: "ip", packages: ["iproute2"] },
];

/**
 * What must be installed before `startEngine`: nothing when an Engine answers already.
 *
 * @param programs an Engine is started from them, whatever answers already
 * @throws Error when `MONKY_LAB_DOCKER_HOST` is not understood, or the Engine it names is silent
 */
export async function engineNeeds(programs?: DockerPrograms): Promise<readonly Need[]> {
  if (programs !== undefined) {
    return [
      { program: "containerd", packages: ["containerd"] },
      { program: "runc", packages: ["runc"] },
      ...NETWORK_NEEDS,
    ];
  }
  if (await findEngine() !== null) return [];
  return [{ program: "dockerd", packages: ["docker.io"] }, ...NETWORK_NEEDS];
}

/**
 * Gives an Engine: a private one of the given programs; without them the one that
 * `MONKY_LAB_DOCKER_HOST` names, else one that answers on the usual socket, else a private dockerd.
 *
 * @param runDir the lab's run folder
 * @param programs see `DockerPrograms`
 * @returns the Engine, answering
 * @throws Error when it cannot be had, with the last lines of dockerd's log
 */
export async function startEngine(runDir: string, programs?: DockerPrograms): Promise<EngineStart> {
  if (programs !== undefined) return await startOwnEngine(runDir, programs.folders);
  const found = await findEngine();
  return found === null ? await startOwnEngine(runDir, []) : { docker: found, process: null };
}

async function findEngine(): Promise<DockerInfo | null> {
  const named = Deno.env.get("MONKY_LAB_DOCKER_HOST") ?? "";
  if (named !== "" && !named.startsWith("unix:///")) {
    throw new Error(`MONKY_LAB_DOCKER_HOST=${named}: only unix:///path is understood`);
  }
  const socket = named === "" ? SYSTEM_SOCKET : named.slice("unix://".length);
  const found = await dockerIdentity(socket);
  if (found !== null) return { host: `unix://${socket}`, socket, own: false, bridge: "", ...found };
  if (named !== "") throw new Error(`no Docker Engine answers on ${named}, as the lab was told`);
  return null;
}

async function startOwnEngine(
  runDir: string,
  folders: readonly string[],
): Promise<EngineStart> {
  const socket = `${runDir}/docker.sock`;
  if (new TextEncoder().encode(socket).length > MAX_SOCKET_BYTES) {
    throw new Error(`${socket} is too long for a unix socket: set MONKY_LAB_DIR to a short path`);
  }
  if (Deno.uid() !== 0) {
    throw new Error(
      "no Docker Engine answers and starting one needs root: " +
        "run as root, or set MONKY_LAB_DOCKER_HOST=unix:///path of one",
    );
  }
  await ensureCgroups();
  await run(["ip", "link", "set", "lo", "up"]);
  const bridge = await makeBridge(runDir);
  await Deno.writeTextFile(`${runDir}/daemon.json`, "{}\n");
  const process = await startServer(
    "dockerd",
    [
      "dockerd",
      ...["--config-file", `${runDir}/daemon.json`],
      ...["--data-root", `${runDir}/docker`],
      ...["--exec-root", `${runDir}/exec`],
      ...["--pidfile", `${runDir}/dockerd.pid`],
      ...["-H", `unix://${socket}`],
      ...["--bridge", bridge],
      ...["--shutdown-timeout", "5"],
      // The machine's firewall and forwarding stay as they are. Ports published on loopback go
      // through docker-proxy, and containers reach each other over their bridge, without them.
      "--iptables=false",
      "--ip6tables=false",
      "--ip-masq=false",
      "--ip-forward=false",
    ],
    `${runDir}/dockerd.log`,
    { env: { PATH: [...folders, await pathWithIptables(runDir)].join(":") } },
  );
  const identity = await waitFor("dockerd", 180_000, async () => {
    await assertRunning(process);
    return await dockerIdentity(socket);
  });
  return { docker: { host: `unix://${socket}`, socket, own: true, bridge, ...identity }, process };
}

/**
 * The name resolver inside containers needs an iptables that this kernel answers, and Debian's
 * default (nft) does not work on every kernel: the older one is put in front then.
 */
async function pathWithIptables(runDir: string): Promise<string> {
  const path = `${Deno.env.get("PATH") ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const works = async (program: string): Promise<boolean> =>
    await findProgram(program) !== null &&
    (await run([program, "-t", "nat", "-L", "-n"], { env: { PATH: path } })).code === 0;
  if (await works("iptables") || !await works("iptables-legacy")) return path;
  await Deno.mkdir(`${runDir}/bin`, { recursive: true });
  for (const name of ["iptables", "ip6tables"]) {
    await Deno.symlink(`/usr/sbin/${name}-legacy`, `${runDir}/bin/${name}`);
  }
  return `${runDir}/bin:${path}`;
}

/** A container as development machine often has no cgroup file system mounted. */
async function ensureCgroups(): Promise<void> {
  const mounts = await Deno.readTextFile("/proc/mounts");
  if (/ cgroup2? /.test(mounts)) return;
  const mounted = await run(["mount", "-t", "cgroup2", "none", "/sys/fs/cgroup"]);
  if (mounted.code !== 0) {
    throw new Error(`no cgroups on this machine and mounting them failed: ${mounted.stderr}`);
  }
}

/**
 * The Engine gets a bridge of its own: two Engines that share `docker0` take it from each other.
 * Its name comes from the folder, so a bridge left by a killed lab is found again.
 */
async function makeBridge(runDir: string): Promise<string> {
  const bridge = await bridgeName(runDir);
  await run(["ip", "link", "del", bridge]);
  const first = Number.parseInt(bridge.slice(-2), 16);
  const taken = await runChecked(["ip", "-4", "-o", "addr"]);
  const net = Array.from({ length: 256 }, (_, index) => `10.213.${(first + index) % 256}`)
    .find((prefix) => !taken.includes(` ${prefix}.`));
  if (net === undefined) throw new Error("no free network among 10.213.0.0/24 … 10.213.255.0/24");
  await runChecked(["ip", "link", "add", bridge, "type", "bridge"]);
  await runChecked(["ip", "addr", "add", `${net}.1/24`, "dev", bridge]);
  await runChecked(["ip", "link", "set", bridge, "up"]);
  return bridge;
}
