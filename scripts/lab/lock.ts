/** One `lab up` or `lab down` at a time, however many are called. */

import { waitFor } from "./wait.ts";

const PATIENCE_MS = 600_000;

/**
 * Runs something while nobody else runs something under the same lock. A killed holder frees it.
 *
 * @param dir the lab's folder; the lock file stands beside `lab.json`
 * @param run what to do
 * @returns what `run` gives
 * @throws Error when the lock is not free within ten minutes; what `run` throws
 */
export async function withLock<T>(dir: string, run: () => Promise<T>): Promise<T> {
  const path = `${dir}/lock`;
  const file = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  try {
    await waitFor(
      `the lock ${path}, held by another "lab" command`,
      PATIENCE_MS,
      async () => await file.tryLock(true) || null,
      200,
    );
    return await run();
  } finally {
    // Closing unlocks.
    file.close();
  }
}
