/**
 * How long to wait after failures in a row: exponential with full jitter, so that a fleet that lost
 * its server does not come back in step (facts: openbao §4, §5 rows 1 and 2).
 */

/** The shortest and the longest wait, in milliseconds. */
export interface BackoffLimits {
  readonly floorMs: number;
  readonly capMs: number;
}

/** The limits for renewals: 1 s to 5 min. */
export const RENEWAL_BACKOFF: BackoffLimits = { floorMs: 1_000, capMs: 300_000 };

/** The limits for revocations, which nothing waits for: 1 min to 1 h. */
export const REVOCATION_BACKOFF: BackoffLimits = { floorMs: 60_000, capMs: 3_600_000 };

/**
 * Takes the number of failures in a row (from 1) and a fraction in [0, 1) of chance; gives the wait
 * in milliseconds: a random part of floor × 2^failures, at least the floor and at most the cap.
 */
export function backoffMs(
  failures: number,
  fraction: number,
  limits: BackoffLimits = RENEWAL_BACKOFF,
): number {
  const { floorMs, capMs } = limits;
  // 2^30 passes every cap; beyond it the power would only lose precision.
  const ceilingMs = Math.min(capMs, floorMs * 2 ** Math.min(Math.max(failures, 0), 30));
  return Math.round(floorMs + fraction * (ceilingMs - floorMs));
}
