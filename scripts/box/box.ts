/**
 * A box in a folder: a config, a development tenancy of its own, and forwarders where the mesh
 * stands in production, over the lab's real Docker Engine and OpenBao. Tests and the demo run the
 * agent on it as an operator would, from the command line, and look at it from outside.
 */

import { stringify } from "@std/yaml";
import { type BaoTarget, putSecret } from "../lab/bao_admin.ts";
import { dockerCall } from "../lab/docker_api.ts";
import { type Forwarder, startForwarder } from "../lab/forwarder.ts";
import type { LabInfo } from "../lab/info.ts";
import { waitFor } from "../lab/wait.ts";
import {
  baoTokenLookup,
  startTenancy,
  type TenancyHandle,
  type TokenLookup,
} from "../tenancy/mod.ts";
import { type AgentRun, type RunOptions, startAgent } from "./run.ts";
import { removeProject } from "./project.ts";

/** Config keys by section, merged over what the box needs. */
export type ConfigChange = Readonly<Record<string, unknown>>;

/** How a box is made. */
export interface BoxOptions {
  /** Default: a fresh `env-t-<random>`, so that boxes never meet. */
  readonly env?: string;
  readonly config?: ConfigChange;
  /** Another OpenBao than the lab's, to seal or stop. */
  readonly bao?: BaoTarget;
  /** Default 5. */
  readonly leasesPerHour?: number;
  /** The clock of tenancy's lease budget. */
  readonly leaseClock?: { now(): number };
  /** Seconds that tenancy holds a check-in at most; 0: it ignores `wait_s`. */
  readonly maxWaitS?: number;
  /** Stands between tenancy and its questions to OpenBao; by default nothing does. */
  readonly tenancyLookup?: (lookup: TokenLookup) => TokenLookup;
  /**
   * Writes the environment of each program that the agent starts to `environmentLog`, NUL between
   * variables; by default it is not looked at.
   */
  readonly logEnvironment?: boolean;
}

/** A box on which the agent can be run. */
export interface Box {
  readonly env: string;
  readonly project: string;
  readonly dir: string;
  readonly stateDir: string;
  readonly deployDir: string;
  readonly configPath: string;
  readonly bootstrapFile: string;
  /** See `BoxOptions.logEnvironment`. */
  readonly environmentLog: string;
  readonly tenancy: TenancyHandle;
  readonly paths: {
    readonly tenancy: Forwarder;
    readonly bao: Forwarder;
    readonly docker: Forwarder;
  };
  readonly lab: LabInfo;
  readonly bao: BaoTarget;
  /** Writes the config anew with other changes. */
  configure(change: ConfigChange): Promise<void>;
  /** Reveals the kit: a fresh bootstrap grant lies on the box, private. */
  reveal(): Promise<void>;
  /** Writes a secret of this env; gives its version. */
  secret(path: string, data: Readonly<Record<string, unknown>>): Promise<number>;
  /** Runs `tick` to its end. */
  tick(args?: readonly string[], options?: RunOptions): Promise<AgentRun>;
  /** Runs any command to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<AgentRun>;
  /** Starts a command and gives the process, to be killed in the middle. */
  start(args: readonly string[], options?: RunOptions): Promise<RunningAgent>;
  /** The project's containers as the Engine lists them. */
  containers(): Promise<readonly EngineContainer[]>;
  /** The state file as JSON, or null. */
  state(): Promise<Readonly<Record<string, unknown>> | null>;
  /** Stops and removes everything of this box. */
  close(): Promise<void>;
  /** As close(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An agent that runs. */
export interface RunningAgent {
  readonly pid: number;
  /** Sends the signal; one that has ended already is no error. */
  kill(signal: Deno.Signal): void;
  readonly ended: Promise<AgentRun>;
}

/** One container as `GET /containers/json` gives it, the part that tests look at. */
export interface EngineContainer {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly State: string;
  readonly Status: string;
  readonly ImageID: string;
  readonly Created: number;
  readonly Labels: Readonly<Record<string, string>>;
}

/** Tenancy's limit is 5 s (docs/PROTOCOL.md), which the disk of a busy machine may exceed. */
const LOOKUP_MS = 20_000;
/** How long the Engine may take over what it was asked for. */
const ENGINE_MS = 30_000;

/** Makes a box; whoever makes it closes it. Throws when the lab's parts do not answer. */
export async function makeBox(lab: LabInfo, options: BoxOptions = {}): Promise<Box> {
  const env = options.env ?? `env-t-${crypto.randomUUID().slice(0, 8)}`;
  const project = `monky-${env}`;
  const bao = options.bao ?? lab;
  await Deno.mkdir(`${lab.dir}/boxes`, { recursive: true, mode: 0o700 });
  const dir = await Deno.makeTempDir({ dir: `${lab.dir}/boxes`, prefix: "b" });
  const tenancy = await openTenancy(lab, bao, options);
  const paths = openPaths(lab, bao, tenancy, dir);
  const stateDir = `${dir}/state`;
  const deployDir = `${dir}/deploy`;
  const bootstrapFile = `${dir}/bootstrap.jwt`;
  const configPath = `${dir}/config.yaml`;
  const childrenLog = `${dir}/children.log`;
  const environmentLog = `${dir}/environment.log`;
  await writePluginWrapper(`${dir}/docker-compose`, lab.compose.plugin, {
    argv: childrenLog,
    environment: options.logEnvironment === true ? environmentLog : null,
  });
  const parts = { configPath, childrenLog, tenancy, paths, watched: [stateDir, deployDir] };

  const box: Box = {
    env,
    project,
    dir,
    stateDir,
    deployDir,
    configPath,
    bootstrapFile,
    environmentLog,
    tenancy,
    paths,
    lab,
    bao,
    async configure(change) {
      const base = baseConfig({ env, dir, stateDir, deployDir, bootstrapFile, paths, lab, bao });
      await Deno.writeTextFile(configPath, stringify(merge(base, change)));
    },
    async reveal() {
      const { grant } = await tenancy.issueBootstrapGrant(env);
      await Deno.writeTextFile(bootstrapFile, `${grant}\n`, { mode: 0o600 });
      await Deno.chmod(bootstrapFile, 0o600);
    },
    secret: (path, data) => putSecret(bao, env, path, data),
    async tick(args = [], runOptions = {}) {
      return await (await startAgent(parts, ["tick", ...args], runOptions)).ended;
    },
    async run(args, runOptions = {}) {
      return await (await startAgent(parts, args, runOptions)).ended;
    },
    start: (args, runOptions = {}) => startAgent(parts, args, runOptions),
    async containers() {
      const filters = JSON.stringify({ label: [`com.docker.compose.project=${project}`] });
      const target = `/containers/json?all=1&filters=${encodeURIComponent(filters)}`;
      const text = await dockerCall(lab.docker.socket, "GET", target);
      return JSON.parse(text) as readonly EngineContainer[];
    },
    async state() {
      try {
        return JSON.parse(await Deno.readTextFile(`${stateDir}/state.json`));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return null;
        throw error;
      }
    },
    async close() {
      await removeProject(lab, project);
      // What compose had asked for when it was killed is there only once the Engine has answered.
      await waitFor("the Engine's answers", ENGINE_MS, () => {
        return Promise.resolve(paths.docker.open === 0 || null);
      }).catch(() => {});
      await removeProject(lab, project);
      await tenancy.close();
      await Promise.all([paths.tenancy.close(), paths.bao.close(), paths.docker.close()]);
      await Deno.remove(dir, { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      await box.close();
    },
  };
  await box.configure(options.config ?? {});
  return box;
}

async function openTenancy(
  lab: LabInfo,
  bao: BaoTarget,
  options: BoxOptions,
): Promise<TenancyHandle> {
  const lookup = baoTokenLookup({
    addr: bao.bao.address,
    caPem: await Deno.readTextFile(bao.bao.caFile),
    token: () => bao.bao.tenancyToken,
  });
  return await startTenancy({
    keyPem: await Deno.readTextFile(lab.keys.grantKey),
    bundleKeyPem: await Deno.readTextFile(lab.keys.bundleKey),
    issuer: lab.keys.issuer,
    lookup: options.tenancyLookup?.(lookup) ?? lookup,
    lookupTimeoutMs: LOOKUP_MS,
    ...(options.leasesPerHour === undefined ? {} : { leasesPerHour: options.leasesPerHour }),
    ...(options.maxWaitS === undefined ? {} : { maxWaitS: options.maxWaitS }),
    ...(options.leaseClock === undefined ? {} : { leaseClock: options.leaseClock }),
  });
}

function openPaths(
  lab: LabInfo,
  bao: BaoTarget,
  tenancy: TenancyHandle,
  dir: string,
): Box["paths"] {
  return {
    tenancy: startForwarder({ target: { hostname: "127.0.0.1", port: tenancy.port } }),
    bao: startForwarder({ target: { hostname: "127.0.0.1", port: bao.bao.port } }),
    docker: startForwarder({
      target: { path: lab.docker.socket },
      listen: { path: `${dir}/d.sock` },
      countHttp: true,
    }),
  };
}

/** Every program the agent starts goes through this one, so that children can be counted. */
async function writePluginWrapper(
  path: string,
  plugin: string,
  logs: { readonly argv: string; readonly environment: string | null },
): Promise<void> {
  // The kernel's view: what the program was started with, byte for byte.
  const environment = logs.environment === null
    ? ""
    : `/bin/cat /proc/$$/environ >>'${logs.environment}'\n`;
  const script = `#!/bin/sh\necho "$*" >>'${logs.argv}'\n${environment}exec '${plugin}' "$@"\n`;
  await Deno.writeTextFile(path, script, { mode: 0o755 });
  await Deno.chmod(path, 0o755);
}

interface ConfigParts {
  readonly env: string;
  readonly dir: string;
  readonly stateDir: string;
  readonly deployDir: string;
  readonly bootstrapFile: string;
  readonly paths: Box["paths"];
  readonly lab: LabInfo;
  readonly bao: BaoTarget;
}

function baseConfig(parts: ConfigParts): ConfigChange {
  return {
    env_id: parts.env,
    site: "lab",
    transport: "proxy",
    bootstrap_file: parts.bootstrapFile,
    state_dir: parts.stateDir,
    deploy_dir: parts.deployDir,
    settle_s: 1,
    health_timeout_s: 20,
    tenancy: { proxy_addr: parts.paths.tenancy.address },
    bao: { proxy_addr: parts.paths.bao.address, ca: parts.bao.bao.caFile },
    docker: {
      compose: `${parts.dir}/docker-compose`,
      host: `unix://${parts.paths.docker.address}`,
      data_root: parts.lab.docker.dataRoot,
      disk_headroom_bytes: 1 << 20,
    },
  };
}

function merge(base: ConfigChange, change: ConfigChange): ConfigChange {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = merged[key];
    merged[key] = isSection(before) && isSection(value) ? merge(before, value) : value;
  }
  return merged;
}

function isSection(value: unknown): value is ConfigChange {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
