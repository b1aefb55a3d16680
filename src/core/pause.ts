/**
 * The pause between two ticks of `run`: a little less than the interval, so that a change starts
 * within it, spread so that a fleet does not march in step, and longer after failures that pass by
 * themselves, so that a server that comes back is not met by all at once.
 */

import { backoffMs } from "./backoff.ts";

/** What tenancy may wish; the config may say less or more, because the operator did. */
const SHORTEST_WISH_S = 5;
const LONGEST_WISH_S = 3_600;
const SHORTEST_PART = 0.65;
const LONGEST_PART = 0.85;
/** A box that was cut off is back at most this long after its remotes. */
const LONGEST_BACKOFF_MS = 300_000;

/** What the pause depends on. */
export interface PauseFacts {
  /** `interval_s` of the config. */
  readonly intervalS: number;
  /** What tenancy wished in its last reply, in seconds; null: nothing. */
  readonly wishS: number | null;
  /** Below this a token must be renewed (`bao.renew_below_s`), so a tick comes in half of it. */
  readonly renewBelowS: number;
  /** Ticks in a row that failed for reasons that pass by themselves. */
  readonly failures: number;
  /** Chance, in [0, 1). */
  readonly fraction: number;
}

/**
 * Takes how the last ticks went; gives the pause in milliseconds. Without failures that is
 * 65 to 85 % of the interval; with them, a random part of what grows to 5 minutes.
 */
export function pauseMs({ wishS, failures, fraction, ...config }: PauseFacts): number {
  const renewalMs = config.renewBelowS * 500;
  const wish = wishS === null
    ? config.intervalS
    : Math.min(Math.max(wishS, SHORTEST_WISH_S), LONGEST_WISH_S);
  const intervalMs = Math.min(wish * 1000, renewalMs);
  const floorMs = intervalMs * SHORTEST_PART;
  if (failures === 0) {
    return Math.round(floorMs + intervalMs * (LONGEST_PART - SHORTEST_PART) * fraction);
  }
  const capMs = Math.max(intervalMs, Math.min(LONGEST_BACKOFF_MS, renewalMs));
  return backoffMs(failures, fraction, { floorMs, capMs });
}
