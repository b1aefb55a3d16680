/** One at a time, however many are called: `lab up` and `lab down`, apt, downloads, fixed ports. */

import { waitFor } from "./wait.ts";

const PATIENCE_MS = 600_000;

/** Which lock, and how long to wait for it. */
export interface LockOptions {
  /** What holds it, for the error's text. */
  readonly what: string;
  /** Milliseconds; ten minutes by default. */
  readonly patienceMs?: number;
}

/**
 * Runs something while nobody else runs something under the same lock. A killed holder frees it.
 *
 * @param dir the lab's folder; the lock file stands beside `lab.json`
 * @param run what to do
 * @returns what `run` gives
 * @throws Error when the lock is not free within ten minutes; what `run` throws
 */
export async function withLock<T>(dir: string, run: () => Promise<T>): Promise<T> {
  await using _lock = await takeLock(`${dir}/lock`, { what: 'another "lab" command' });
  return await run();
}

/**
 * Takes a lock that works between processes, and between the threads and the tasks of one process,
 * as the workers of `deno test --parallel` are: it belongs to the opened file (flock(2)).
 *
 * @param path the lock's file; made when missing, and left there
 * @param options see `LockOptions`
 * @returns the lock; disposing of it frees it, as the end of the process does
 * @throws Error when it is not free in time
 */
export async function takeLock(
  path: string,
  { what, patienceMs = PATIENCE_MS }: LockOptions,
): Promise<AsyncDisposable> {
  const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  try {
    await waitFor(
      `the lock ${path}, held by ${what}`,
      patienceMs,
      async () => await file.tryLock(true) || null,
      200,
    );
  } catch (cause) {
    file.close();
    throw cause;
  }
  return {
    // Closing unlocks.
    [Symbol.asyncDispose]: () => Promise.resolve(file.close()),
  };
}

/**
 * The lock of something that the machine has once, however many labs it has.
 *
 * @param name what it guards: `apt`
 * @returns the lock's file, in the folder for temporary files, a file of the calling user's
 */
export function machineLock(name: string): string {
  const folder = Deno.env.get("TMPDIR") ?? "/tmp";
  return `${folder}/monky-lab-${Deno.uid() ?? 0}-${name}.lock`;
}
