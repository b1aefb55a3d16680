/**
 * What a running lab looks like to those who use it: the typed content of `lab.json`.
 *
 * Everything in it belongs to this lab alone and dies with it, so the secrets are throw-away ones;
 * the file is 0600 all the same.
 */

/** One process that the lab started; pid and start time together name it for good. */
export interface ProcessRecord {
  /** What it is: `dockerd`, `registry`, `bao`. */
  readonly name: string;
  readonly pid: number;
  /** Field 22 of `/proc/<pid>/stat`, in clock ticks since boot. */
  readonly startTime: number;
  /** Absolute path of the file that takes its stdout and stderr. */
  readonly log: string;
}

/** The Docker Engine that the lab uses. */
export interface DockerInfo {
  /** `unix:///absolute/path`, as `DOCKER_HOST` takes it. */
  readonly host: string;
  /** The socket's absolute path, below 104 bytes. */
  readonly socket: string;
  /** The Engine's version, `20.10.24+dfsg1` for instance. */
  readonly version: string;
  /** The Engine's data root, as `/info` names it. */
  readonly dataRoot: string;
  /** True when the lab started this Engine, false when it was there already. */
  readonly own: boolean;
  /** Name of the bridge that was made for an own Engine; empty otherwise. */
  readonly bridge: string;
}

/** The docker compose plugin; run it by path: `<plugin> -p NAME up -d`. */
export interface ComposeInfo {
  /** Absolute path of the file `docker-compose`. */
  readonly plugin: string;
  /** What `<plugin> version --short` says. */
  readonly version: string;
}

/** The image registry, which answers only with an account. */
export interface RegistryInfo {
  /** `127.0.0.1:<port>`: the host part of an image reference. */
  readonly address: string;
  readonly username: string;
  readonly password: string;
  /** A folder for `DOCKER_CONFIG` whose `config.json` holds the account. */
  readonly dockerConfigDir: string;
}

/** One OpenBao server: initialised, unsealed and filled as the agent expects it. */
export interface BaoInfo {
  /** `https://127.0.0.1:<port>`; the certificate also names `bao.cbs.tikali.net` and `localhost`. */
  readonly address: string;
  /** Port of `address`. */
  readonly port: number;
  /** PEM file of the private CA that signed the server's certificate. */
  readonly caFile: string;
  /** The server's own folder: configuration, storage, audit log. */
  readonly dir: string;
  readonly rootToken: string;
  /** The one unseal key, base64. */
  readonly unsealKey: string;
  /** Periodic orphan token with the policy `tenancy` (lookup, revoke-accessor). */
  readonly tenancyToken: string;
  /** Audit device: one JSON object a line, tokens and values hashed. */
  readonly auditLog: string;
  /** `auth/<authMount>/login` takes grants. */
  readonly authMount: "jwt-tenancy";
  readonly role: "see-env";
  readonly kvMount: "monky";
}

/** The keys that stand for tenancy's. */
export interface TenancyKeys {
  /** `iss` of every grant. */
  readonly issuer: string;
  /** ES256 private key that signs grants, PKCS#8 PEM file. */
  readonly grantKey: string;
  /** Its public key, SPKI PEM file. */
  readonly grantPublicKey: string;
  /** ES256 private key that signs bundles, PKCS#8 PEM file. */
  readonly bundleKey: string;
  /** Its public key, SPKI PEM file. */
  readonly bundlePublicKey: string;
}

/** Where the OpenBao server's program and certificate are; what `startBao` needs besides a folder. */
export interface BaoParts {
  readonly binary: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A running lab. */
export interface LabInfo {
  /** Layout of this file; a lab of another layout is taken down and started anew. */
  readonly format: 1;
  /** The lab's private folder, absolute. */
  readonly dir: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly docker: DockerInfo;
  readonly compose: ComposeInfo;
  /** The tiny busybox image that is present in the Engine: `lab/bb:1`. */
  readonly image: string;
  readonly registry: RegistryInfo;
  readonly bao: BaoInfo;
  readonly baoParts: BaoParts;
  readonly keys: TenancyKeys;
  readonly processes: readonly ProcessRecord[];
}

const PROJECT_ROOT = new URL("../../", import.meta.url).pathname;

/**
 * The lab's folder: `MONKY_LAB_DIR` when it is set, else `.lab` in the project's root.
 *
 * @returns an absolute path without a trailing slash; it need not exist
 */
export function labDir(): string {
  const given = Deno.env.get("MONKY_LAB_DIR") ?? "";
  if (given === "") return `${PROJECT_ROOT}.lab`;
  const absolute = given.startsWith("/") ? given : `${Deno.cwd()}/${given}`;
  return absolute.replace(/\/+$/, "");
}

/**
 * Reads what `lab up` wrote. It says nothing about whether the parts still answer: see `checkLab`.
 *
 * @param dir the lab's folder; `labDir()` by default
 * @returns the lab, or null when there is none, or only one of an older layout
 * @throws Error when the file is there and cannot be read or is no JSON
 */
export async function readLab(dir: string = labDir()): Promise<LabInfo | null> {
  const file = `${dir}/lab.json`;
  try {
    const parsed: unknown = JSON.parse(await Deno.readTextFile(file));
    const isCurrent = typeof parsed === "object" && parsed !== null && "format" in parsed &&
      parsed.format === 1;
    return isCurrent ? parsed as LabInfo : null;
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return null;
    throw new Error(`cannot read ${file}: run "deno task lab down", then "deno task lab up"`, {
      cause,
    });
  }
}

/**
 * Writes `lab.json`, readable by its owner only, in one step: a reader sees the old or the new one.
 *
 * @param lab the lab; `lab.dir` must exist
 * @throws Deno.errors when the folder cannot be written
 */
export async function writeLab(lab: LabInfo): Promise<void> {
  const file = `${lab.dir}/lab.json`;
  await Deno.writeTextFile(`${file}.new`, `${JSON.stringify(lab, null, 2)}\n`, { mode: 0o600 });
  await Deno.rename(`${file}.new`, file);
}
