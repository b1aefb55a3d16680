/** Starting, watching and stopping the lab's programs. */

import type { ProcessRecord } from "./info.ts";
import { GiveUp, sleep } from "./wait.ts";

/** How a program that ran to its end is described. */
export interface RunResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What `run` and `runChecked` take besides the command. */
export interface RunOptions {
  readonly cwd?: string;
  /** Added to the environment. */
  readonly env?: Record<string, string>;
  /** Written to the program's stdin, which is empty otherwise. */
  readonly stdin?: string;
  /** The program is killed after this many milliseconds; 60,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * Runs a program to its end.
 *
 * @param command program and arguments
 * @param options see `RunOptions`
 * @returns its exit code (of a killed one: 124 for the timeout) and output
 * @throws Error when the program is not there
 */
export async function run(
  command: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const [program = "", ...args] = command;
  const timeoutMs = options.timeoutMs ?? 60_000;
  // coreutils' timeout ends the whole tree; a signal to the child alone would leave grandchildren.
  const child = new Deno.Command("timeout", {
    args: ["-k", "2", String(timeoutMs / 1000), program, ...args],
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { LC_ALL: "C", ...options.env },
  }).spawn();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin)).catch(() => {});
    await writer.close().catch(() => {});
  }
  const { code, stdout, stderr } = await child.output();
  if (code === 127) throw new Error(`${program}: no such program; install it and try again`);
  const text = new TextDecoder();
  return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
}

/**
 * Runs a program to its end and insists on success.
 *
 * @param command program and arguments; must carry no secret, since errors quote it
 * @param options see `RunOptions`
 * @returns its stdout
 * @throws Error with the command, the exit code and the last lines of its output
 */
export async function runChecked(
  command: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const result = await run(command, options);
  if (result.code === 0) return result.stdout;
  const output = lastLines(`${result.stdout}\n${result.stderr}`, 8);
  const why = result.code === 124 ? "took too long" : `exited ${result.code}`;
  throw new Error(`${command.slice(0, 4).join(" ")} … ${why}:\n${output}`);
}

/**
 * Finds a program on PATH, and in the folders for administrators that a user's PATH lacks.
 *
 * @param name file name
 * @returns its absolute path, or null
 */
export async function findProgram(name: string): Promise<string | null> {
  const folders = [...(Deno.env.get("PATH") ?? "").split(":"), "/usr/sbin", "/sbin", "/usr/bin"];
  for (const folder of folders) {
    const path = `${folder}/${name}`;
    const stat = await Deno.stat(path).catch(() => null);
    if (stat?.isFile && ((stat.mode ?? 0) & 0o111) !== 0) return path;
  }
  return null;
}

/**
 * Starts a server that outlives this process: own session, output into a log file.
 *
 * @param name what to call it
 * @param command program and arguments
 * @param log file for its output, 0600; appended to
 * @param options added environment, working folder
 * @returns the record by which `stopProcess` finds it again
 * @throws Error when it died at once
 */
export async function startServer(
  name: string,
  command: readonly string[],
  log: string,
  options: Pick<RunOptions, "cwd" | "env"> = {},
): Promise<ProcessRecord> {
  // A shell starts it in the background and ends, so that init becomes the parent and this process
  // holds no handle of it. setsid execs in place here: `$!` is the server's own pid.
  const script = 'umask 077; log=$1; shift; setsid "$@" </dev/null >>"$log" 2>&1 & echo $!';
  const pid = Number(await runChecked(["sh", "-c", script, "sh", log, ...command], options));
  const startTime = await readStartTime(pid);
  if (startTime === null) {
    throw new Error(`${name} ended at once; its log ${log} ends:\n${await tailFile(log)}`);
  }
  return { name, pid, startTime, log };
}

/**
 * When a process started.
 *
 * @param pid process id
 * @returns clock ticks since boot, or null when there is no such process or only its zombie
 */
export async function readStartTime(pid: number): Promise<number | null> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => null);
  if (stat === null) return null;
  // The second field is the program's name in parentheses and may hold anything, so count from ")".
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  return state === "Z" || state === "X" ? null : Number(fields[19]);
}

/**
 * Whether exactly this process still runs, not another one under a reused pid.
 *
 * @param process its record
 */
export async function isRunning(process: ProcessRecord): Promise<boolean> {
  return await readStartTime(process.pid) === process.startTime;
}

/**
 * For probes of `waitFor`: ends the wait at once when the server has died.
 *
 * @param process its record
 * @throws GiveUp with the last lines of its log
 */
export async function assertRunning(process: ProcessRecord): Promise<void> {
  if (await isRunning(process)) return;
  throw new GiveUp(
    `${process.name} ended; its log ${process.log} ends:\n${await tailFile(process.log)}`,
  );
}

/**
 * Stops a process: TERM, and KILL when it is still there after `graceMs`. No error when it is gone.
 *
 * @param process its record
 * @param graceMs how long it may take over TERM
 */
export async function stopProcess(process: ProcessRecord, graceMs = 10_000): Promise<void> {
  for (const [signal, patience] of [["SIGTERM", graceMs], ["SIGKILL", 5_000]] as const) {
    if (!await isRunning(process)) return;
    signalProcess(process.pid, signal);
    const end = performance.now() + patience;
    while (performance.now() < end && await isRunning(process)) await sleep(20);
  }
}

/**
 * Sends a signal; no error when the process is gone.
 *
 * @param pid process id
 * @param signal its name
 */
export function signalProcess(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
  }
}

/**
 * The end of a log file.
 *
 * @param file its path
 * @param lines how many lines at most
 * @returns the lines, or a remark when there is no such file
 */
export async function tailFile(file: string, lines = 12): Promise<string> {
  const text = await Deno.readTextFile(file).catch(() => "(no log)");
  return lastLines(text, lines);
}

function lastLines(text: string, lines: number): string {
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
