/**
 * When a failed release is tried again (SPEC §4): 1, 2, 5, 10, 15 minutes, capped. Jumps of the
 * clock must not keep a box waiting for years.
 */

import type { FailedRelease } from "../model/state.ts";

const MINUTE_MS = 60_000;
const DELAYS_MIN = [1, 2, 5, 10, 15] as const;
const LONGEST_MS = 15 * MINUTE_MS;

/** Takes how often a release has failed in a row (at least 1); gives the wait in milliseconds. */
export function retryDelayMs(attempts: number): number {
  const minutes = DELAYS_MIN[Math.min(Math.max(attempts, 1), DELAYS_MIN.length) - 1];
  return (minutes ?? 15) * MINUTE_MS;
}

/**
 * Takes a failed release and the time; says whether it is tried again. A failure in the future, or
 * a wait longer than the longest there is, comes from a clock that jumped and holds nobody up.
 */
export function isDue(failed: FailedRelease, now: number): boolean {
  if (failed.quarantined) return false;
  if (failed.at > now) return true;
  if (failed.nextAttemptAt - now > LONGEST_MS) return true;
  return now >= failed.nextAttemptAt;
}

/** Takes the earlier failure, if any, and the new one; gives the record that the state keeps. */
export function nextFailure(
  before: FailedRelease | null,
  failure: {
    readonly sha: string;
    readonly code: string;
    readonly detail?: string;
    readonly hint?: string;
    readonly now: number;
  },
): FailedRelease {
  const attempts = before !== null && before.sha === failure.sha ? before.attempts + 1 : 1;
  return {
    sha: failure.sha,
    code: failure.code,
    ...(failure.detail === undefined ? {} : { detail: failure.detail }),
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    attempts,
    at: failure.now,
    nextAttemptAt: failure.now + retryDelayMs(attempts),
    quarantined: false,
  };
}
