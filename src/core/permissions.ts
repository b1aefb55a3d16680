/**
 * What the process may touch, made from the config by one function (SPEC §10), and its three
 * spellings: Deno's flags, a systemd drop-in, JSON. Pure. Deno compares paths and sockets as text and
 * knows no pattern for sockets (measured), so everything here is spelt as the code will ask for it.
 */

import type { Config, HostPort } from "../model/config.ts";
import { rangeComplement } from "../model/ip_range.ts";
import { doctorGrants } from "./doctor/programs.ts";

/** Grants by kind, each list sorted and without duplicates. */
export interface Permissions {
  /** `host:port` and `unix:/path`. */
  readonly net: readonly string[];
  /**
   * Address ranges that are refused although a granted name leads there: Deno holds them against
   * every address of an answer before it connects (measured; it knows no range of IPv6).
   */
  readonly denyNet?: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly run: readonly string[];
  readonly env: readonly string[];
  readonly sys: readonly string[];
}

/** What the config does not say. */
export interface PermissionOptions {
  /** The config file, absolute. */
  readonly configPath: string;
  /** Default `tick`. */
  readonly of?: Purpose;
}

/** What the process is started for: a tick and whatever looks at its state, or the doctor. */
export type Purpose = "tick" | "doctor";

/** Where the process runs from: modules and npm packages, or one bundled file. */
export type Origin = "source" | "package";

/** docker's plugin folders, in the order of search (facts: docker §8). */
export const PLUGIN_FOLDERS = [
  "/usr/local/lib/docker/cli-plugins",
  "/usr/local/libexec/docker/cli-plugins",
  "/usr/lib/docker/cli-plugins",
  "/usr/libexec/docker/cli-plugins",
] as const;

/** The environment variables that the agent reads: none. Colour and terminal are asked of the runtime. */
export const ENVIRONMENT: readonly string[] = [];

/** Takes a config; gives the files that may be the compose plugin, in the order of search. */
export function composeCandidates(config: Config): readonly string[] {
  const { compose } = config.docker;
  return compose === null ? PLUGIN_FOLDERS.map((folder) => `${folder}/docker-compose`) : [compose];
}

/**
 * Takes a config; gives the sockets that the bridge listens on (transport sdk). In state_dir, since
 * grants must name them before the bridge starts; no env_id is called `.run`.
 */
export function bridgeSockets(
  config: Config,
): { readonly folder: string; readonly tenancy: string; readonly bao: string } {
  const folder = `${config.stateDir}/.run`;
  return { folder, tenancy: `${folder}/tenancy.sock`, bao: `${folder}/bao.sock` };
}

/** Takes a config; gives the socket by which compose notices that the agent has died. */
export function lifelineSocket(config: Config): string {
  return `${config.stateDir}/.run/compose.sock`;
}

/**
 * Takes the path of the metrics; gives that of the file which becomes them. Its name is always the
 * same, since Deno grants no pattern, and does not end with `.prom`: node_exporter leaves it alone.
 */
export function metricsTemporary(path: string): string {
  const cut = path.lastIndexOf("/") + 1;
  return `${path.slice(0, cut)}.${path.slice(cut)}.monky-deployd`;
}

/** Takes a config as parsed (key files still paths); gives what the agent needs for it, no more. */
export function permissionsOf(config: Config, options: PermissionOptions): Permissions {
  if (options.of !== "doctor") return tickPermissions(config, options);
  // It judges no bundle and writes no metrics: the audit showed that it looks at neither's paths.
  const policy = { ...config.policy, bindAllow: [] };
  const tick = tickPermissions({ ...config, policy, metricsTextfile: null }, options);
  const more = doctorGrants(config);
  const lifeline = `unix:${lifelineSocket(config)}`;
  return {
    ...tick,
    net: sorted([...tick.net.filter((each) => each !== lifeline), ...more.listen.map(address)]),
    write: sorted(more.write),
    run: sorted([...tick.run, ...more.run]),
    sys: sorted([...tick.sys, ...more.sys]),
  };
}

function tickPermissions(config: Config, { configPath }: PermissionOptions): Permissions {
  const { socket, dataRoot } = config.docker;
  const sdk = config.transport === "sdk";
  const kept = [config.stateDir, config.deployDir];
  // Others keep metrics in that folder too: the file and what it is replaced through, no more.
  const { metricsTextfile } = config;
  const metrics = metricsTextfile === null
    ? []
    : [metricsTextfile, metricsTemporary(metricsTextfile)];
  const plugins = composeCandidates(config);
  return {
    net: sorted([`unix:${socket}`, `unix:${lifelineSocket(config)}`, ...dialled(config)]),
    ...(config.transport === "system" ? { denyNet: rangeComplement(config.system.ipRange) } : {}),
    read: outermost([
      ...kept,
      ...metrics,
      ...plugins,
      ...config.policy.bindAllow,
      ...config.tenancy.bundleKeys.filter((key) => key.startsWith("/")),
      ...(config.bao.ca === null ? [] : [config.bao.ca]),
      ...(sdk ? [config.identity, config.sdk.bridge] : []),
      configPath,
      config.bootstrapFile,
      socket,
      dataRoot,
    ]),
    write: outermost([...kept, ...metrics, config.bootstrapFile, socket]),
    run: sorted([...plugins, ...(sdk ? [config.sdk.node] : [])]),
    env: ENVIRONMENT,
    sys: ["statfs"],
  };
}

/** What a run needs that only says what is wrong with the config, or needs none. */
export function minimalPermissions({ configPath }: PermissionOptions): Permissions {
  return { net: [], read: [configPath], write: [], run: [], env: ENVIRONMENT, sys: [] };
}

/**
 * V8's settings for a process that mostly lives for a twentieth of a second (measured on a converged
 * tick: three quarters of the processor time, a megabyte less). What is cached of the bundle is made
 * before it runs, and lacks most functions unless all are compiled; the quick compilers seldom pay
 * before the end, so code gets warmer before they begin; V8's helper threads cost more than they do;
 * and the young heap starts so large that it need not be swept, and grows no larger: left to itself,
 * it doubles every few hundred ticks of `run` until the process is a third larger (measured; what
 * lives on stays the same).
 */
const V8_FLAGS = [
  "--no-lazy",
  "--no-sparkplug",
  "--invocation-count-for-maglev=2000",
  "--min-semi-space-size=2",
  "--max-semi-space-size=2",
  "--single-threaded",
].join(",");

/** One bundled file needs no packages, no config and no lockfile. */
const BUNDLED = ["--no-npm", "--no-config", "--no-lock", `--v8-flags=${V8_FLAGS}`] as const;

/**
 * Takes grants; gives the flags for `deno run`. `--no-remote` and `--cached-only` keep Deno from
 * importing from the seven hosts that it grants by itself (facts: deno §1); `--no-npm` would refuse
 * the sources' npm packages, so only a package, which holds everything in one file, has it.
 */
export function toFlags(permissions: Permissions, origin: Origin): readonly string[] {
  const { denyNet = [], ...granted } = permissions;
  const grants = Object.entries(granted)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `--allow-${kind}=${list.join(",")}`);
  if (denyNet.length > 0) grants.push(`--deny-net=${denyNet.join(",")}`);
  const sealed = ["--no-prompt", "--no-remote", "--cached-only"];
  return [...sealed, ...origin === "package" ? BUNDLED : [], ...grants];
}

/**
 * Takes a config; gives a drop-in for a unit with `ProtectSystem=strict`, which makes all other paths
 * read-only. The bootstrap file's folder must be writable, since a file that is a mount point cannot
 * be removed. Sockets need no entry: connecting writes nothing.
 */
export function toSystemd(config: Config): string {
  const files = [
    config.bootstrapFile,
    ...(config.metricsTextfile === null ? [] : [config.metricsTextfile]),
  ];
  const folders = files.map(parentOf).filter((folder) => folder !== "/");
  const paths = outermost([config.stateDir, config.deployDir, ...folders]);
  const lines = paths.map((path) => `ReadWritePaths=-${quoteForUnit(path)}`);
  return `[Service]\n${lines.join("\n")}\n`;
}

/** Takes grants; gives them as one JSON document. */
export function toJson(permissions: Permissions): string {
  return `${JSON.stringify(permissions, null, 2)}\n`;
}

/**
 * The addresses that are dialled, and nothing else: `system` connects by name and then looks at the
 * address it got, so it needs no grant for a resolver.
 */
function dialled(config: Config): readonly string[] {
  const { tenancy, bao } = config;
  switch (config.transport) {
    case "sdk": {
      const sockets = bridgeSockets(config);
      return [`unix:${sockets.tenancy}`, `unix:${sockets.bao}`];
    }
    case "proxy":
      return [address(tenancy.proxyAddr), address(bao.proxyAddr)];
    case "system":
      return [address(tenancy), address(bao)];
  }
}

function address({ host, port }: HostPort): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function sorted(all: readonly string[]): readonly string[] {
  return [...new Set(all)].sort();
}

/** A grant of a folder holds for all in it, so what lies in another entry is left out. */
function outermost(paths: readonly string[]): readonly string[] {
  return sorted(paths).filter((path) =>
    !paths.some((other) => other !== path && path.startsWith(`${other}/`))
  );
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

/** systemd splits at spaces and expands `%` (systemd.syntax(7)). */
function quoteForUnit(path: string): string {
  const escaped = path.replaceAll("%", "%%").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return /[\s"'\\]/.test(path) ? `"${escaped}"` : escaped;
}
