/**
 * Runs the agent of a box from the command line, under the permission flags that its config yields
 * (or as it is shipped, when the environment variable MONKY_AGENT names an installed launcher),
 * and measures it from outside: exit code, output, requests that passed the forwarders, children,
 * and what changed on disk.
 */

import { launchEnv, launchFlags } from "../agent/launch.ts";
import { withoutCore } from "../agent/no_core.ts";
import type { Forwarder } from "../lab/forwarder.ts";
import type { TenancyHandle } from "../tenancy/mod.ts";
import { wrongExit } from "./exit_code.ts";
import { changedPaths, readTree } from "./tree.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** How a run differs from an operator's. */
export interface RunOptions {
  /** Milliseconds until the run is killed and fails; default 120,000. */
  readonly timeoutMs?: number;
  /** More environment for the agent, e.g. NO_COLOR. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each line of standard error as it comes, e.g. to kill the agent at a step. */
  readonly onLine?: (line: string) => void;
  /** A command line to run the agent behind, e.g. nsenter with its options. */
  readonly enter?: readonly string[];
  /**
   * Changes the permission flags, e.g. to take grants away; an installed launcher has its own, and
   * keeps them.
   */
  readonly flags?: (flags: readonly string[]) => readonly string[];
}

/** What one run did, seen from outside. */
export interface AgentRun {
  /** The exit code; 128 + n for a signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** Requests by remote: tenancy by its record, OpenBao by connection, Docker by request line. */
  readonly requests: { readonly tenancy: number; readonly docker: number; readonly bao: number };
  /** The arguments of each program that was started. */
  readonly children: readonly string[];
  /** Paths in the state and deploy folders that were added, removed or changed. */
  readonly writes: readonly string[];
}

/** The parts of a box that a run needs. */
export interface RunParts {
  readonly configPath: string;
  readonly childrenLog: string;
  readonly watched: readonly string[];
  readonly tenancy: TenancyHandle;
  readonly paths: { readonly bao: Forwarder; readonly docker: Forwarder };
}

/** A run that goes on. */
export interface StartedAgent {
  readonly pid: number;
  /** Sends the signal; one that has ended already is no error. */
  kill(signal: Deno.Signal): void;
  readonly ended: Promise<AgentRun>;
}

/** Starts the agent with the arguments (the command first); `ended` gives what it did. */
export async function startAgent(
  parts: RunParts,
  args: readonly string[],
  options: RunOptions,
): Promise<StartedAgent> {
  const before = readTree(parts.watched);
  const childrenBefore = await readLines(parts.childrenLog);
  const requestsBefore = parts.tenancy.record.requests.length;
  parts.paths.bao.resetCounts();
  parts.paths.docker.resetCounts();
  const [command, ...rest] = args;
  const argv = [command ?? "help", "--config", parts.configPath, ...rest];
  const startedAt = performance.now();
  const [first, ...others] = [...options.enter ?? [], ...commandLine(argv, options)];
  const { program, args: words } = withoutCore({ program: first ?? Deno.execPath(), args: others });
  const child = new Deno.Command(program, {
    args: [...words],
    env: { ...launchEnv(Deno.env.toObject()), ...options.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let timedOut = false;
  const deadline = setTimeout(() => {
    timedOut = true;
    killQuietly(child, "SIGKILL");
  }, options.timeoutMs ?? 120_000);

  async function end(): Promise<AgentRun> {
    const [status, stdout, stderr] = await Promise.all([
      child.status,
      new Response(child.stdout).text().then(withoutRuntimeRemarks),
      readAsItComes(child.stderr, options.onLine ?? ((): void => {})).then(withoutRuntimeRemarks),
    ]);
    clearTimeout(deadline);
    const ms = Math.round(performance.now() - startedAt);
    if (timedOut) throw new Error(`the agent did not end in time; its log:\n${stderr}`);
    const wrong = command === "tick" ? wrongExit(status.code, stderr) : null;
    if (wrong !== null) throw new Error(`${wrong}; its log:\n${stderr}`);
    return {
      code: status.code,
      stdout,
      stderr,
      ms,
      requests: {
        tenancy: parts.tenancy.record.requests.length - requestsBefore,
        docker: parts.paths.docker.counts.requests.length,
        bao: parts.paths.bao.counts.connections,
      },
      children: (await readLines(parts.childrenLog)).slice(childrenBefore.length),
      writes: changedPaths(before, readTree(parts.watched)),
    };
  }

  return { pid: child.pid, kill: (signal) => killQuietly(child, signal), ended: end() };
}

/** From source, or as it is shipped where `MONKY_AGENT` names an installed `monky-deployd`. */
function commandLine(
  argv: readonly string[],
  { flags: change = (flags) => flags }: RunOptions,
): readonly string[] {
  const installed = Deno.env.get("MONKY_AGENT");
  if (installed !== undefined) return [installed, ...argv];
  const flags = change(launchFlags(argv, { folder: Deno.cwd(), read: readTextOrNull }));
  const config = `${ROOT}deno.json`;
  return [Deno.execPath(), "run", "-q", "--config", config, ...flags, `${ROOT}main.ts`, ...argv];
}

function killQuietly(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended already.
  }
}

/** Processes that start at one moment contend for the runtime's code cache, which one of them tells. */
function withoutRuntimeRemarks(text: string): string {
  return text.replaceAll(/^Failed to open cache file [^\n]*\n/gm, "");
}

async function readAsItComes(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onLine: (line: string) => void,
): Promise<string> {
  let text = "";
  let told = 0;
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    text += part;
    for (let end = text.indexOf("\n", told); end >= 0; end = text.indexOf("\n", told)) {
      onLine(text.slice(told, end));
      told = end + 1;
    }
  }
  return text;
}

function readTextOrNull(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await Deno.readTextFile(path)).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
