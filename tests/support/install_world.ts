/**
 * A box made of a folder and stubs, for packaging/install.sh: the script runs as it is, below another
 * root, with nothing on its PATH but plain tools and stand-ins that write down what they were called
 * with. The real thing on a real box is tests/real/install_test.ts.
 */

import { joinInstaller } from "../../scripts/build/installer.ts";
import { type ReleaseMirror, startReleaseMirror } from "../../scripts/lab/release_mirror.ts";
import { writeExecutable } from "./executable.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const VERSION = "0.2.0";

/** Programs of the world that are stand-ins from the start; others appear when apt installs them. */
const STUBS = [
  ...["id", "dpkg", "dpkg-query", "apt-get", "apt-cache", "systemctl", "getent", "chown", "sleep"],
  ...["node", "npm", "mv", "cp", "chmod", "mkdir"],
];
/** Tools that do what they always do. */
const TOOLS = [
  ...["sh", "sed", "awk", "cut", "tr", "grep", "cat", "date", "rm", "dirname", "head", "tail"],
  ...["find", "stat", "wc", "sha256sum", "base64", "cmp", "tar", "ln", "ls", "gzip"],
];

/** How the installer is run. */
export interface InstallRun {
  /** The shell, with its own options: `["sh", "-x"]`; default sh, which is dash on Debian. */
  readonly shell?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** What a run of the installer gave. */
export interface InstallResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A box made of a folder. */
export interface InstallWorld extends AsyncDisposable {
  readonly dir: string;
  /** The folder that stands for `/`. */
  readonly root: string;
  readonly mirror: ReleaseMirror;
  /** The files that the mirror serves; change them at will. */
  readonly served: Map<string, string>;
  /** Runs install.sh with these arguments and the mirror's address. */
  install(args: readonly string[], run?: InstallRun): Promise<InstallResult>;
  /** Runs install.sh with exactly these arguments. */
  run(args: readonly string[], run?: InstallRun): Promise<InstallResult>;
  /** Everything that a user of the box would call its state, as sorted lines. */
  state(): Promise<readonly string[]>;
  /** What the stubs were called with since the last time, a word a line. */
  calls(): Promise<readonly string[]>;
  /** Writes a file of the kit, 0600; gives its path. */
  kit(name: string, content: string): Promise<string>;
  /** Makes all tools tell their arguments and environment, not only the stubs. */
  watchTools(): Promise<void>;
}

/** Makes a world; `present` names programs that are installed already, beside `curl`. */
export async function makeInstallWorld(
  options: { readonly token?: string; readonly present?: readonly string[] } = {},
): Promise<InstallWorld> {
  const dir = await Deno.makeTempDir({ prefix: "install-" });
  const root = `${dir}/root`;
  const bin = `${dir}/bin`;
  const stub = `${dir}/stub`;
  await writeExecutable(stub, await Deno.readTextFile(`${ROOT}tests/support/install_stub.sh`));
  for (const folder of ["bin", "enabled", "active", "acl", "home", "kit"]) {
    await Deno.mkdir(`${dir}/${folder}`);
  }
  for (const folder of ["run/systemd/system", "etc/ssl/certs", "var/run", "proc/net"]) {
    await Deno.mkdir(`${root}/${folder}`, { recursive: true });
  }
  await Deno.writeTextFile(`${root}/etc/ssl/certs/ca-certificates.crt`, "");
  await Deno.writeTextFile(`${root}/var/run/docker.sock`, "");
  await Deno.writeTextFile(`${dir}/candidate.docker-compose-plugin`, "  Candidate: 2.26.1-4\n");
  await Deno.writeTextFile(`${dir}/candidate.ziti-edge-tunnel`, "  Candidate: 1.18.7\n");
  await Deno.writeTextFile(`${dir}/candidate.openziti`, "  Candidate: 2.0.3\n");
  for (const name of TOOLS) await Deno.symlink(await whereIs(name), `${bin}/${name}`);
  for (const name of [...STUBS, ...options.present ?? ["curl"]]) {
    await Deno.symlink(stub, `${bin}/${name}`);
  }
  const script = `${dir}/install.sh`;
  await Deno.writeTextFile(script, await joinInstaller(ROOT.slice(0, -1), VERSION));
  const served = await releaseFiles();
  const mirror = startReleaseMirror({ files: served, token: options.token ?? null });

  async function install(args: readonly string[], run: InstallRun = {}): Promise<InstallResult> {
    const [program = "sh", ...shellOptions] = run.shell ?? ["sh"];
    const child = new Deno.Command(await whereIs("setsid"), {
      args: ["-w", await whereIs(program), ...shellOptions, script, ...args],
      env: {
        PATH: bin,
        HOME: `${dir}/home`,
        W: dir,
        ROOT: root,
        STUB: stub,
        MONKY_INSTALL_ROOT: root,
        ...run.env,
      },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(run.stdin ?? "")).catch(() => {});
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  }

  return {
    dir,
    root,
    mirror,
    served,
    run: install,
    install: (args, run) =>
      install(args.includes("--uninstall") ? args : [...args, "--base-url", mirror.url], run),
    async state() {
      const lines: string[] = [];
      for (const folder of ["root", "home", "enabled", "active", "acl"]) {
        await list(`${dir}/${folder}`, folder, lines);
      }
      lines.push(`package ${await readOr(`${dir}/package`, "none")}`);
      return lines.sort();
    },
    async calls() {
      const words = (await readOr(`${dir}/argv`, "")).split("\n").slice(0, -1);
      await Deno.remove(`${dir}/argv`).catch(() => {});
      return words;
    },
    async kit(name, content) {
      const path = `${dir}/kit/${name}`;
      await Deno.writeTextFile(path, content, { mode: 0o600 });
      await Deno.chmod(path, 0o600);
      return path;
    },
    async watchTools() {
      for (const name of TOOLS.filter((tool) => tool !== "sh")) {
        await Deno.remove(`${bin}/${name}`);
        await Deno.symlink(stub, `${bin}/${name}`);
      }
    },
    async [Symbol.asyncDispose]() {
      await mirror[Symbol.asyncDispose]();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

/** Takes claims; gives a JWT of them whose signature is `signature`. */
export function fakeJwt(claims: Readonly<Record<string, unknown>>, signature = "c2ln"): string {
  const encode = (value: unknown): string =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  return `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}.${signature}`;
}

/** Gives the time in an hour, in epoch seconds, as `exp` takes it. */
export function inAnHour(): number {
  return Math.floor(Date.now() / 1000) + 3600;
}

/** Takes changed claims; gives a bootstrap grant for env-qa-02 that lives an hour. */
export function fakeGrant(
  change: Readonly<Record<string, unknown>> = {},
  signature = "c2ln",
): string {
  const claims = { kind: "deploy-grant", env_id: "env-qa-02", jti: "j1", exp: inAnHour() };
  return `${fakeJwt({ ...claims, ...change }, signature)}\n`;
}

/** Takes changed claims; gives an enrolment token that lives an hour. */
export function fakeEnrolment(
  change: Readonly<Record<string, unknown>> = {},
  signature = "c2ln",
): string {
  const claims = { iss: "https://ctrl:1280", em: "ott", sub: "x", exp: inAnHour() };
  return fakeJwt({ ...claims, ...change }, signature);
}

/** Takes a version; gives the files of its release as the stubs understand them. */
export async function releaseFiles(version = VERSION): Promise<Map<string, string>> {
  const deb = `monky-deployd_${version}_amd64.deb`;
  const content = `deb ${version}\n`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
  const sum = new Uint8Array(digest).toHex();
  return new Map([[deb, content], [
    "SHA256SUMS",
    `${"0".repeat(64)}  install.sh\n${sum}  ${deb}\n`,
  ]]);
}

async function whereIs(name: string): Promise<string> {
  for (const folder of ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]) {
    if (await Deno.stat(`${folder}/${name}`).then(() => true, () => false)) {
      return `${folder}/${name}`;
    }
  }
  throw new Error(`this machine has no ${name}`);
}

async function readOr(path: string, otherwise: string): Promise<string> {
  return await Deno.readTextFile(path).catch(() => otherwise);
}

/** Files with mode and content, folders with mode; the installer's own work folder is no state. */
async function list(path: string, name: string, lines: string[]): Promise<void> {
  const { isDirectory, isSymlink, mode } = await Deno.lstat(path);
  const bits = ((mode ?? 0) & 0o7777).toString(8);
  if (isSymlink) lines.push(`${name} -> link`);
  else if (!isDirectory) {
    lines.push(`${name} ${bits} ${JSON.stringify(await Deno.readTextFile(path))}`);
  } else {
    if (name.startsWith("root/") || name.startsWith("home/")) lines.push(`${name}/ ${bits}`);
    for await (const entry of Deno.readDir(path)) {
      await list(`${path}/${entry.name}`, `${name}/${entry.name}`, lines);
    }
  }
}
