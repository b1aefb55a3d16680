/**
 * Child processes (case 62): both pipes are read while the child runs, what is kept is bounded, and
 * the deadline holds whatever the child does: TERM, then KILL, then its pipes are given up. Whether
 * it was ended by us is decided here, not read from its exit code. The environment starts empty.
 */

import { AgentError } from "../errors.ts";
import type { Command, CommandResult, Exec } from "../ports.ts";
import { createLineSink, createOutputSink, pump } from "./exec_pipes.ts";
import { spawnFault } from "./exec_faults.ts";
import { openLifeline } from "./lifeline.ts";

const DEFAULT_GRACE_MS = 10_000;
const DEFAULT_MAX_STDOUT_BYTES = 1024 * 1024;
/** How long pipes may stay open behind the child: a grandchild can hold them for ever. */
const PIPE_GRACE_MS = 1000;
/** How long a killed child may take to go: one that hangs in the kernel (a dead disk) never does. */
const KILLED_GRACE_MS = 5000;
const KILLED_CODE = 128 + 9;

/** Gives the real child processes. */
export function createExec(): Exec {
  return { run };
}

async function run(command: Command): Promise<CommandResult> {
  if (command.signal?.aborted === true) {
    throw new AgentError(
      "INTERRUPTED",
      `"${command.program}" was not started: the tick was stopped`,
    );
  }
  const lifeline = command.lifeline === undefined ? null : openLifeline(command.lifeline);
  try {
    return await runToEnd(command);
  } finally {
    await lifeline?.close();
  }
}

async function runToEnd(command: Command): Promise<CommandResult> {
  const child = spawn(command);
  const stdout = createOutputSink(command.maxStdoutBytes ?? DEFAULT_MAX_STDOUT_BYTES);
  const ending = endInTime(child, command);
  const listener = guardedListener(command.onLine, ending);
  const stderr = createLineSink(listener.onLine);
  const closing = new AbortController();
  const pumps = Promise.all([
    pump(child.stdout, stdout.take, closing.signal),
    pump(child.stderr, stderr.take, closing.signal),
  ]);
  try {
    const code = await Promise.race([child.status.then(({ code }) => code), ending.gaveUp]);
    await withinPipeGrace(pumps);
    stderr.finish();
    listener.rethrow();
    return {
      code,
      stdout: stdout.bytes(),
      stdoutTruncated: stdout.truncated(),
      stderrTail: stderr.tail(),
      timedOut: ending.why() === "timeout",
      aborted: ending.why() === "signal",
    };
  } finally {
    ending.clear();
    closing.abort();
    await pumps;
  }
}

function spawn(command: Command): Deno.ChildProcess {
  try {
    return new Deno.Command(command.program, {
      args: [...command.args],
      env: { ...command.env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    }).spawn();
  } catch (thrown) {
    throw spawnFault(thrown, command);
  }
}

type Cause = "timeout" | "signal" | "listener";

interface Ending {
  readonly why: () => Cause | null;
  readonly end: (cause: Cause) => void;
  /** Resolves, with the code of a killed child, when even KILL did not end it. */
  readonly gaveUp: Promise<number>;
  readonly clear: () => void;
}

/** Ends the child at its deadline or at the caller's signal: TERM first, KILL after the grace. */
function endInTime(child: Deno.ChildProcess, command: Command): Ending {
  let why: Cause | null = null;
  let nextTimer: ReturnType<typeof setTimeout> | undefined;
  const gaveUp = Promise.withResolvers<number>();
  const giveUp = (): void => {
    child.unref();
    gaveUp.resolve(KILLED_CODE);
  };
  const kill = (): void => {
    killQuietly(child, "SIGKILL");
    nextTimer = setTimeout(giveUp, KILLED_GRACE_MS);
  };
  const end = (cause: Cause): void => {
    if (why !== null) return;
    why = cause;
    killQuietly(child, "SIGTERM");
    nextTimer = setTimeout(kill, command.graceMs ?? DEFAULT_GRACE_MS);
  };
  const onAbort = (): void => end("signal");
  const timer = setTimeout(() => end("timeout"), command.timeoutMs);
  command.signal?.addEventListener("abort", onAbort, { once: true });
  return {
    why: () => why,
    end,
    gaveUp: gaveUp.promise,
    clear: (): void => {
      clearTimeout(timer);
      clearTimeout(nextTimer);
      command.signal?.removeEventListener("abort", onAbort);
    },
  };
}

/** A listener that throws is a bug of the caller: the child ends, and the caller gets the error back. */
function guardedListener(
  onLine: Command["onLine"],
  ending: Ending,
): { readonly onLine: (line: string) => void; readonly rethrow: () => void } {
  let failure: { readonly thrown: unknown } | null = null;
  return {
    onLine: (line): void => {
      if (failure !== null) return;
      try {
        onLine?.(line);
      } catch (thrown) {
        failure = { thrown };
        ending.end("listener");
      }
    },
    rethrow: (): void => {
      if (failure !== null) throw failure.thrown;
    },
  };
}

function killQuietly(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It ended by itself meanwhile.
  }
}

async function withinPipeGrace(pumps: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PIPE_GRACE_MS);
  await Promise.race([pumps, promise]);
  clearTimeout(timer);
}
