/** Facts about sessions that the tests of the session's planner begin with. */

import type { GrantFacts, SessionFacts, TokenFacts } from "../../src/core/plan_session.ts";

/** The moment of every table, in epoch milliseconds. */
export const NOW = Date.UTC(2026, 10, 30);
/** The same in epoch seconds. */
export const NOW_S = NOW / 1000;
/** Seconds of an hour. */
export const HOUR_S = 3600;
/** Seconds of a day. */
export const DAY_S = 24 * HOUR_S;

/** A lease's token that lives so many seconds more. */
export function token(leftS: number, overrides: Partial<TokenFacts> = {}): TokenFacts {
  return {
    source: "lease",
    jti: "lease-1",
    grantIatS: NOW_S - DAY_S,
    checkedAt: NOW - (DAY_S - leftS) * 1000,
    expiresAt: NOW + leftS * 1000,
    ttlS: DAY_S,
    ...overrides,
  };
}

/** A fresh bootstrap grant, jti `boot-2`, newer than any token. */
export function grant(
  overrides: Partial<{ jti: string; envId: string; expS: number; iatS: number }> = {},
): GrantFacts {
  return {
    kind: "present",
    claims: {
      jti: "boot-2",
      envId: "env-a",
      expS: NOW_S + HOUR_S / 2,
      iatS: NOW_S - HOUR_S / 2,
      ...overrides,
    },
  };
}

/** A box with a token that lives 20 h more and no grant on disk. */
export function facts(overrides: Partial<SessionFacts> = {}): SessionFacts {
  return {
    now: NOW,
    envId: "env-a",
    token: token(20 * HOUR_S),
    tokenRejected: false,
    grant: { kind: "absent" },
    consumed: [],
    renewal: { failures: 0, notBefore: 0 },
    renewBelowS: 6 * HOUR_S,
    done: {},
    ...overrides,
  };
}
