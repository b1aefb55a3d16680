/**
 * A bare Debian 12 with systemd as PID 1, for what is installed on a box: a container of the lab's
 * Engine, made with debootstrap, on the network of the machine. It reaches the Engine as a box with
 * Docker does, through `/var/run/docker.sock`, so what it deploys are containers beside it: a bundle
 * for it must bind nothing (facts: lab §4). Knows nothing of the agent.
 */

import { installMissing, type Say } from "./apt.ts";
import { bareRoot } from "./bare_root.ts";
import { dockerCall, dockerRequest } from "./docker_api.ts";
import type { LabInfo } from "./info.ts";
import { findProgram, run, runChecked, type RunResult } from "./process.ts";
import { packTar, type TarEntry } from "./tar.ts";
import { waitFor } from "./wait.ts";

const IMAGE = "lab/bare:12";
const CAPABILITIES = ["SYS_ADMIN"];
/** A script may install packages; what hangs fails all the same. */
const EXEC_MS = 600_000;

/** How a bare box is made. */
export interface BareBoxOptions {
  /** Names the container; also what the box calls itself. */
  readonly name: string;
  readonly say?: Say;
}

/** How a program in the box is run. */
export interface ExecOptions {
  /** Milliseconds until it is given up; default 600,000. */
  readonly timeoutMs?: number;
  readonly stdin?: string;
}

/** A box that runs. */
export interface BareBox extends AsyncDisposable {
  readonly name: string;
  /** Runs a shell script in the box, as root; gives how it ended. */
  exec(script: string, options?: ExecOptions): Promise<RunResult>;
  /** As `exec`, and insists on success; gives its stdout. Throws Error with the last lines. */
  must(script: string, options?: ExecOptions): Promise<string>;
  /** The command line that runs a shell script in the box, for whoever wants its output as it comes. */
  command(script: string): readonly string[];
  /** Puts files into the box, owned by root; the folders are made. Paths are absolute. */
  put(files: readonly TarEntry[]): Promise<void>;
  /** Takes the box away. */
  close(): Promise<void>;
}

/**
 * Starts a bare box; the first time makes its root with debootstrap, which takes a minute or two.
 *
 * @param lab the lab whose Engine runs it
 * @param options see `BareBoxOptions`
 * @returns it, when systemd says that it is up
 * @throws Error when debootstrap fails, or when systemd does not come up
 */
export async function startBareBox(
  lab: LabInfo,
  { name, say = (): void => {} }: BareBoxOptions,
): Promise<BareBox> {
  await installMissing([{ program: "docker", packages: ["docker.io"] }], say);
  await importRoot(lab, await bareRoot(`${lab.dir}/cache`, say));
  const docker = [await findProgram("docker") ?? "docker", "-H", lab.docker.host];
  const command = (script: string): readonly string[] => [
    ...docker,
    ...["exec", "-i", "-w", "/root", name, "sh", "-c", script],
  ];
  const box: BareBox = {
    name,
    command,
    exec: (script, options = {}) => run(command(script), { timeoutMs: EXEC_MS, ...options }),
    must: (script, options = {}) => runChecked(command(script), { timeoutMs: EXEC_MS, ...options }),
    put: (files) => putFiles(lab, name, files),
    close: () => removeContainer(lab, name),
    [Symbol.asyncDispose]: () => removeContainer(lab, name),
  };
  await removeContainer(lab, name);
  await createContainer(lab, name);
  try {
    await box.must(await ownGroup(lab));
    await waitFor("systemd in the box", 180_000, async () => {
      const { stdout } = await box.exec("systemctl is-system-running");
      if (/degraded/.test(stdout)) throw new Error(await box.must("systemctl --failed"));
      return /running/.test(stdout) ? true : null;
    });
  } catch (cause) {
    await box.close();
    throw cause;
  }
  return box;
}

/** The image is imported anew when its root was. */
async function importRoot(lab: LabInfo, archive: string): Promise<void> {
  const { mtime, size } = await Deno.stat(archive);
  const mark = `${size}-${mtime?.getTime() ?? 0}`;
  const { socket } = lab.docker;
  const found = await dockerRequest(socket, "GET", `/images/${IMAGE}/json`);
  if (found.status === 200 && found.text.includes(`"lab.root":"${mark}"`)) return;
  const query = new URLSearchParams({ fromSrc: "-", repo: "lab/bare", tag: "12" });
  query.append("changes", `LABEL lab.root=${mark}`);
  const body = await Deno.readFile(archive);
  await dockerCall(socket, "POST", `/images/create?${query}`, { body, timeoutMs: 300_000 });
}

async function createContainer(lab: LabInfo, name: string): Promise<void> {
  const { socket } = lab.docker;
  const body = JSON.stringify({
    Image: IMAGE,
    Hostname: name,
    Cmd: ["/lib/systemd/systemd"],
    Env: ["container=docker"],
    StopSignal: "SIGRTMIN+3",
    HostConfig: {
      NetworkMode: "host",
      CapAdd: CAPABILITIES,
      SecurityOpt: ["seccomp=unconfined", "apparmor=unconfined"],
      Tmpfs: { "/run": "", "/run/lock": "", "/tmp": "" },
      Binds: ["/sys/fs/cgroup:/sys/fs/cgroup:rw"],
      // Behind the tmpfs on /run, to which /var/run leads.
      Mounts: [{ Type: "bind", Source: socket, Target: "/run/docker.sock" }],
    },
  });
  const headers = { "content-type": "application/json" };
  await dockerCall(socket, "POST", `/containers/create?name=${name}`, { body, headers });
  await dockerCall(socket, "POST", `/containers/${name}/start`);
}

/** Docker's package makes the group that may use its socket; the box's number must be the socket's. */
async function ownGroup(lab: LabInfo): Promise<string> {
  const { gid } = await Deno.stat(lab.docker.socket);
  return `mkdir -p /var/lib/docker && (getent group docker || groupadd --gid ${
    gid ?? 0
  } --non-unique docker)`;
}

async function putFiles(lab: LabInfo, name: string, files: readonly TarEntry[]): Promise<void> {
  const archive = packTar(files.map((file) => ({ ...file, path: file.path.replace(/^\/+/, "") })));
  await dockerCall(lab.docker.socket, "PUT", `/containers/${name}/archive?path=/`, {
    body: archive,
    timeoutMs: 180_000,
  });
}

async function removeContainer(lab: LabInfo, name: string): Promise<void> {
  await dockerRequest(lab.docker.socket, "DELETE", `/containers/${name}?force=1&v=1`);
}
