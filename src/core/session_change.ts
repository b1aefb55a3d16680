/**
 * The next session after a login, a renewal, a swap or a loss (SPEC §5): old session in, new one
 * out, within the bounds of session.json. Tokens are moved about here and never revealed.
 */

import type { GrantClaims } from "../model/grant.ts";
import type { Secret } from "../model/secret.ts";
import {
  MAX_CONSUMED,
  MAX_REVOKE,
  type OldToken,
  type Session,
  type Token,
  type UnspentGrant,
} from "../model/state.ts";
import { backoffMs, REVOCATION_BACKOFF } from "./backoff.ts";

/** What a login gave, and the grant it was given for. */
export interface GainedToken {
  readonly value: Secret;
  readonly accessor: string;
  readonly ttlS: number;
  readonly source: "bootstrap" | "lease";
  readonly claims: GrantClaims;
}

/**
 * Takes what a login gave; gives the session with that token. The token before it waits for its
 * revocation; a bootstrap grant is remembered as used.
 */
export function withToken(
  session: Session,
  gained: GainedToken,
  facts: { readonly now: number; readonly renewBelowS: number },
): Session {
  const { value, accessor, ttlS, source, claims } = gained;
  const token: Token = {
    value,
    accessor,
    source,
    jti: claims.jti,
    grantIatS: claims.iatS,
    checkedAt: facts.now,
    expiresAt: facts.now + ttlS * 1000,
    ttlS,
  };
  const dropped = withoutToken(session);
  const known = source === "bootstrap" ? withConsumed(dropped, claims.jti) : dropped;
  // A lease whose token is short from the start would be swapped each tick and use up the budget.
  const notBefore = source === "lease" ? pacedAfter(ttlS, facts) : 0;
  return { ...known, token, unspent: null, renewal: { failures: 0, notBefore } };
}

/**
 * Gives the session without its token, which waits for its revocation. A grant that was leased with
 * it is forgotten too: what superseded the one superseded the other.
 */
export function withoutToken(session: Session): Session {
  const { token, revoke } = session;
  if (token === null) return session;
  const old = { value: token.value, accessor: token.accessor };
  return {
    ...session,
    token: null,
    unspent: null,
    revoke: [...revoke, old].slice(-MAX_REVOKE),
    renewal: { failures: 0, notBefore: 0 },
  };
}

/** Gives the session that remembers the bootstrap grant as used, or as one that OpenBao refuses. */
export function withConsumed(session: Session, jti: string): Session {
  if (session.consumed.includes(jti)) return session;
  return { ...session, consumed: [...session.consumed, jti].slice(-MAX_CONSUMED) };
}

/** Takes the life that lookup-self told; gives the session whose token has it. */
export function withLife(session: Session, ttlS: number, now: number): Session {
  if (session.token === null) return session;
  const token = { ...session.token, checkedAt: now, expiresAt: now + ttlS * 1000 };
  return { ...session, token };
}

/** Takes the life that a renewal gave; gives the session whose token has it. */
export function withRenewal(
  session: Session,
  ttlS: number,
  facts: { readonly now: number; readonly renewBelowS: number },
): Session {
  const { token } = withLife(session, ttlS, facts.now);
  if (token === null) return session;
  const renewal = { failures: 0, notBefore: pacedAfter(ttlS, facts) };
  return { ...session, token: { ...token, ttlS }, renewal };
}

/** Takes a fraction of chance; gives the session after one more failed renewal. */
export function withFailedRenewal(
  session: Session,
  facts: { readonly now: number; readonly fraction: number },
): Session {
  const failures = session.renewal.failures + 1;
  const waitMs = backoffMs(failures, facts.fraction);
  // Near its end a token cannot wait for the full back-off.
  const lifeMs = session.token === null ? waitMs : session.token.expiresAt - facts.now;
  const notBefore = facts.now + Math.max(1000, Math.min(waitMs, Math.round(lifeMs / 3)));
  return { ...session, renewal: { failures, notBefore } };
}

/** Gives the session that keeps a leased grant for the next login, or null: none. */
export function withUnspent(session: Session, unspent: UnspentGrant | null): Session {
  if (session.unspent === unspent) return session;
  return { ...session, unspent };
}

/** Takes the session and the time; gives the leased grant that can still be spent, or null. */
export function usableGrant({ unspent }: Session, now: number): UnspentGrant | null {
  return unspent !== null && unspent.claims.expS * 1000 > now ? unspent : null;
}

/** Gives the session without an old token whose end OpenBao confirmed. */
export function withRevoked(session: Session, gone: OldToken): Session {
  const revoke = session.revoke.filter((each) => each !== gone);
  return { ...session, revoke, revocation: { failures: 0, notBefore: 0 } };
}

/** Takes a fraction of chance; gives the session after one more revocation that failed. */
export function withFailedRevocation(
  session: Session,
  facts: { readonly now: number; readonly fraction: number },
): Session {
  const failures = session.revocation.failures + 1;
  const waitMs = backoffMs(failures, facts.fraction, REVOCATION_BACKOFF);
  return { ...session, revocation: { failures, notBefore: facts.now + waitMs } };
}

/** Takes the session and the time; says whether old tokens are to be revoked now (case 65: no wait is longer than the longest). */
export function isRevocationDue({ revoke, revocation }: Session, now: number): boolean {
  const waitMs = revocation.notBefore - now;
  return revoke.length > 0 && (waitMs <= 0 || waitMs > REVOCATION_BACKOFF.capMs);
}

/** A life below the threshold is waited out for a third, or each tick would ask again in vain. */
function pacedAfter(
  ttlS: number,
  facts: { readonly now: number; readonly renewBelowS: number },
): number {
  return ttlS > facts.renewBelowS ? 0 : facts.now + Math.round(ttlS * 1000 / 3);
}
