/**
 * Which token an apply reads its secrets with (SPEC §5). Tenancy gives five leases an hour: 0.1.6
 * learned that a lease for each apply uses them up while a deploy keeps failing, and then blocks it.
 */

import { dateDoubt, lifeLeftS, type TokenFacts } from "./session_facts.ts";
import { saySpan } from "./say_time.ts";

/** Facts about the token at the moment of the apply. */
export interface TokenChoiceFacts {
  readonly now: number;
  readonly token: TokenFacts;
  readonly renewBelowS: number;
  /** What lookup-self said in this apply: not asked, dead, or its seconds of life. */
  readonly lookup: "unasked" | "dead" | { readonly ttlS: number };
  /** A lease was asked for in this apply already, whatever came of it. */
  readonly leased: boolean;
}

/** The token to use, and why, for a person. */
export type TokenChoice =
  /** Use the token there is. `confirm`: let lookup-self run beside the reads, then choose again. */
  | { readonly kind: "reuse"; readonly confirm: boolean; readonly reason: string }
  /** Ask lookup-self first and choose again. */
  | { readonly kind: "verify"; readonly reason: string }
  /**
   * Lease with reason `apply`, log in, swap. `tolerant`: when tenancy gives no lease
   * (LEASE_RATE_LIMITED), apply with the token there is and swap later.
   */
  | { readonly kind: "lease"; readonly tolerant: boolean; readonly reason: string }
  /** A second lease would not help: BAO_TOKEN_DEAD. */
  | { readonly kind: "dead"; readonly reason: string };

/** Takes the facts; gives the choice. At most one lease an apply. */
export function chooseToken(facts: TokenChoiceFacts): TokenChoice {
  const { now, token, renewBelowS, lookup, leased } = facts;
  if (lookup === "dead") {
    return leased
      ? { kind: "dead", reason: "OpenBao says the token is dead, right after its lease" }
      : { kind: "lease", tolerant: false, reason: "OpenBao says the token is dead" };
  }
  if (leased) return { kind: "reuse", confirm: false, reason: "a lease was asked for already" };
  if (token.source === "bootstrap") {
    return { kind: "lease", tolerant: true, reason: "the bootstrap token is swapped once" };
  }
  const doubt = lookup === "unasked" ? dateDoubt(token, now) : null;
  if (doubt !== null) return { kind: "verify", reason: doubt };
  const leftS = lookup === "unasked" ? lifeLeftS(token, now) : lookup.ttlS;
  if (leftS > renewBelowS) {
    const reason = `the lease's token lives ${saySpan(leftS)} more`;
    return { kind: "reuse", confirm: lookup === "unasked", reason };
  }
  const reason = `the lease's token lives only ${saySpan(leftS)} more`;
  return { kind: "lease", tolerant: true, reason };
}
