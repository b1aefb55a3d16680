/**
 * What a tick does about its token before it checks in (SPEC §4 step 4, §5): facts in, one action
 * out. The engine does the action, adds what came of it to `done`, and asks again until the answer
 * is `keep` or `stop`; no action is planned twice in a tick, so that is at most seven rounds.
 */

import type { Code } from "../errors.ts";
import type { GrantClaims } from "../model/grant.ts";
import { RENEWAL_BACKOFF } from "./backoff.ts";
import {
  dateDoubt,
  lifeLeftS,
  type RenewalFacts,
  type SessionFacts,
  type TokenFacts,
} from "./session_facts.ts";

export type {
  GrantFacts,
  RenewalFacts,
  SessionDone,
  SessionFacts,
  TokenFacts,
} from "./session_facts.ts";
import { saySpan } from "./say_time.ts";

/** What to do about the session, and why, for a person. */
export type SessionPlan =
  /** Check in with the token there is. */
  | { readonly kind: "keep"; readonly reason: string }
  /** Ask lookup-self, put the answer into the token or note that it is dead, and plan again. */
  | { readonly kind: "verify"; readonly reason: string }
  /** Ask OpenBao's health for its clock and plan again. */
  | { readonly kind: "measureClock"; readonly reason: string }
  /**
   * Log in with the bootstrap grant, source `bootstrap`. `tolerant`: a token works, so that a login
   * that fails is a warning and no failure.
   */
  | {
    readonly kind: "login";
    readonly jti: string;
    readonly tolerant: boolean;
    readonly reason: string;
  }
  /** Renew the token. A failure is a warning: the token still works. */
  | { readonly kind: "renew"; readonly reason: string }
  /** Lease with reason `renew`, log in, swap. LEASE_RATE_LIMITED defers the swap. */
  | { readonly kind: "leaseAndSwap"; readonly reason: string }
  /** A person is needed. `dropToken`: forget the token first, it will never work again. */
  | {
    readonly kind: "stop";
    readonly code: Code;
    readonly message: string;
    readonly dropToken: boolean;
  };

/** The leeway that OpenBao gives a grant's `exp` (facts: openbao §0.7). */
const EXP_LEEWAY_S = 60;

/** Takes the facts; gives the next action. */
export function planSession(facts: SessionFacts): SessionPlan {
  const { token, done } = facts;
  if (token === null) return planWithoutToken(facts, "there is no token");
  if (facts.tokenRejected) return planWithoutToken(facts, "tenancy does not accept the token");
  if (done.verified === "dead") return planWithoutToken(facts, "OpenBao says the token is dead");
  const newer = newerGrant(facts, token);
  if (newer !== null) {
    const reason = "a grant that is newer than the token lies on disk";
    return { kind: "login", jti: newer.jti, tolerant: true, reason };
  }
  return planWithToken(facts, token);
}

function planWithToken(facts: SessionFacts, token: TokenFacts): SessionPlan {
  const { now, done, renewBelowS } = facts;
  if (done.renewal !== undefined) return planAfterRenewal(facts, done.renewal);
  const doubt = dateDoubt(token, now);
  if (doubt !== null && done.verified === undefined) return { kind: "verify", reason: doubt };
  if (done.verified === "unknown") {
    return { kind: "keep", reason: "OpenBao could not say whether the token lives" };
  }
  const leftS = lifeLeftS(token, now);
  if (leftS >= renewBelowS) {
    return { kind: "keep", reason: `the token lives ${saySpan(leftS)} more` };
  }
  const below = `the token lives ${saySpan(leftS)} more, less than bao.renew_below_s (${
    saySpan(renewBelowS)
  })`;
  if (done.swap !== undefined) return { kind: "keep", reason: below };
  if (isHeldBack(facts, token)) {
    return { kind: "keep", reason: `${below}; the next renewal is not due yet` };
  }
  return { kind: "renew", reason: below };
}

/** A short or refused renewal cannot be mended by another one: the token's whole life is over soon. */
function planAfterRenewal(facts: SessionFacts, renewal: RenewalFacts): SessionPlan {
  const { done, renewBelowS } = facts;
  if (renewal.kind === "failed") {
    return { kind: "keep", reason: "the renewal failed and the token still works" };
  }
  if (renewal.kind === "forbidden") {
    return done.verified === undefined
      ? { kind: "verify", reason: "OpenBao forbade the renewal: dead, or not allowed" }
      : { kind: "keep", reason: "the token may not renew itself, and may still work" };
  }
  const isShort = renewal.kind === "refused" ||
    (renewal.ttlS < renewal.askedS && renewal.ttlS <= renewBelowS);
  if (!isShort) return { kind: "keep", reason: "the token was renewed" };
  if (done.swap === "done") return { kind: "keep", reason: "the token was swapped for a new one" };
  if (done.swap === "deferred") {
    return { kind: "keep", reason: "tenancy gives no lease now, and the token still works" };
  }
  const reason = renewal.kind === "refused"
    ? "OpenBao will not renew this token any more"
    : `the renewal came back short: ${saySpan(renewal.ttlS)} of ${saySpan(renewal.askedS)}`;
  return { kind: "leaseAndSwap", reason };
}

/** `why`: what is wrong with the token. */
function planWithoutToken(facts: SessionFacts, why: string): SessionPlan {
  const { grant, consumed, token, envId } = facts;
  const stop = (code: Code, message: string): SessionPlan => ({
    kind: "stop",
    // A file on disk that cannot be used is mended where it lies; else tenancy's refusal is what the
    // operator has to know, since only a new kit helps.
    code: facts.tokenRejected && grant.kind !== "unusable" ? "AGENT_UNAUTHENTICATED" : code,
    message: `${why}, and ${message}`,
    dropToken: token !== null,
  });
  if (grant.kind === "absent") return stop("GRANT_MISSING", "there is no bootstrap grant");
  if (grant.kind === "unusable") return stop(grant.code, grant.message);
  const { claims } = grant;
  if (claims.envId !== envId) {
    const named = JSON.stringify(claims.envId.slice(0, 100));
    return stop("GRANT_ENV_MISMATCH", `the bootstrap grant is of ${named}, not of ${envId}`);
  }
  if (consumed.includes(claims.jti) || token?.jti === claims.jti) {
    return stop("GRANT_CONSUMED", "the bootstrap grant was used before");
  }
  if (seemsExpired(claims, facts)) {
    // A box that boots with a wrong clock must not call a good grant expired.
    if (facts.done.clockSkewS === undefined) {
      return { kind: "measureClock", reason: "the bootstrap grant seems to have expired" };
    }
    return stop("GRANT_EXPIRED", `the bootstrap grant expired ${saySpan(agoS(claims, facts))} ago`);
  }
  return {
    kind: "login",
    jti: claims.jti,
    tolerant: false,
    reason: `${why}, and a fresh bootstrap grant lies on disk`,
  };
}

/**
 * Gives the grant on disk when the token should make way for it: a kit that was revealed again
 * supersedes what came before, and tenancy would refuse the old token soon. Both `iat` are tenancy's.
 */
function newerGrant(facts: SessionFacts, token: TokenFacts): GrantClaims | null {
  const { grant, consumed, envId } = facts;
  if (grant.kind !== "present") return null;
  const { claims } = grant;
  if (claims.envId !== envId || claims.jti === token.jti) return null;
  if (consumed.includes(claims.jti) || claims.iatS <= token.grantIatS) return null;
  return seemsExpired(claims, facts) ? null : claims;
}

function seemsExpired(claims: GrantClaims, facts: SessionFacts): boolean {
  return agoS(claims, facts) > EXP_LEEWAY_S;
}

function agoS(claims: GrantClaims, facts: SessionFacts): number {
  const baoNowS = facts.now / 1000 - (facts.done.clockSkewS ?? 0);
  return Math.round(baoNowS - claims.expS);
}

/** A wait that is longer than any that is ever set comes from a clock that jumped (case 65). */
function isHeldBack(facts: SessionFacts, token: TokenFacts): boolean {
  const { renewal, now } = facts;
  const longestMs = Math.max(RENEWAL_BACKOFF.capMs, token.ttlS * 1000 / 3);
  const waitMs = renewal.notBefore - now;
  return waitMs > 0 && waitMs <= longestMs;
}
