/**
 * Time: the box's clock, a monotonic one, and waiting. The only place of the agent that reads a
 * clock outside the HTTP and child deadlines of this folder. Decides nothing.
 */

import type { Clock } from "../ports.ts";

/** Gives the real clock. `sleep` ends early and quietly when its signal aborts, and leaves no timer behind. */
export function createClock(): Clock {
  return {
    now: (): number => Date.now(),
    monotonic: (): number => performance.now(),
    sleep,
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
