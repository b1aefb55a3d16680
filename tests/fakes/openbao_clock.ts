/** A clock that stands still until somebody sleeps: waits take no time and are written down. */

import type { Clock } from "../../src/ports.ts";

/** The clock, its waits so far, and a hand to set it. */
export interface StillClock extends Clock {
  /** Milliseconds of each sleep, oldest first. */
  readonly sleeps: readonly number[];
  /** Moves both times. */
  advance(ms: number): void;
}

/** Makes one that starts at the given epoch milliseconds. */
export function stillClock(startMs = Date.UTC(2026, 10, 30)): StillClock {
  const sleeps: number[] = [];
  let elapsedMs = 0;
  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    sleep: (ms) => {
      sleeps.push(ms);
      elapsedMs += ms;
      return Promise.resolve();
    },
    sleeps,
    advance: (ms) => {
      elapsedMs += ms;
    },
  };
}
