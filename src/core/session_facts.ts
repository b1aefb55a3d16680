/**
 * What the session's planner may look at, and two judgements about time that it shares with the
 * choice of a token: how long a token lives, and whether its stored dates can be believed (case 65).
 */

import type { GrantClaims } from "../model/grant.ts";
import type { Session, Token } from "../model/state.ts";
import type { Code } from "../errors.ts";

/** A token without its value: planners never see one. */
export type TokenFacts = Omit<Token, "value" | "accessor">;

/** What lies at `bootstrap_file`. */
export type GrantFacts =
  | { readonly kind: "absent" }
  /** The file or its text cannot be used; the error that says so. */
  | { readonly kind: "unusable"; readonly code: Code; readonly message: string }
  | { readonly kind: "present"; readonly claims: GrantClaims };

/** How this tick's renewal ended; `failed` is a temporary failure. */
export type RenewalFacts =
  | { readonly kind: "granted"; readonly askedS: number; readonly ttlS: number }
  | { readonly kind: "forbidden" }
  | { readonly kind: "refused" }
  | { readonly kind: "failed" };

/**
 * What this tick has found out or done so far; the engine fills it in and plans again. It is about
 * the token of now: after a login it starts empty again, or a dead token's fate would be its heir's.
 */
export interface SessionDone {
  /**
   * What lookup-self said. `alive`: the dates it gave stand in `token`. `unknown`: it could not be
   * asked, which proves nothing (case 52).
   */
  readonly verified?: "alive" | "dead" | "unknown";
  readonly renewal?: RenewalFacts;
  /** The swap after a short renewal was tried; `deferred`: tenancy gave no lease, the token works. */
  readonly swap?: "done" | "deferred";
  /** Seconds by which this box's clock is ahead of OpenBao's; 0 when it could not be measured. */
  readonly clockSkewS?: number;
}

/** Facts about the token and the grant, at one moment. */
export interface SessionFacts {
  /** Epoch milliseconds by this box's clock. */
  readonly now: number;
  readonly envId: string;
  readonly token: TokenFacts | null;
  /** Tenancy answered AGENT_UNAUTHENTICATED to the token. */
  readonly tokenRejected: boolean;
  readonly grant: GrantFacts;
  readonly consumed: readonly string[];
  readonly renewal: Session["renewal"];
  readonly renewBelowS: number;
  readonly done: SessionDone;
}

/** The longest life of a token (SPEC §5) and what clocks may differ by. */
const LONGEST_LIFE_MS = 30 * 24 * 3600 * 1000;
const CLOCK_SLACK_MS = 60_000;

/** Takes a token and the time; gives the whole seconds it still lives, by its stored dates; 0 when over. */
export function lifeLeftS(token: TokenFacts, now: number): number {
  return Math.max(0, Math.floor((token.expiresAt - now) / 1000));
}

/**
 * Takes a token and the time; says why its stored dates prove nothing, or null when they do. A clock
 * that jumped back leaves a check in the future; a longer life than there is was written by one that
 * jumped between two reads of it.
 */
export function dateDoubt(token: TokenFacts, now: number): string | null {
  if (token.checkedAt > now + CLOCK_SLACK_MS) return "the token was last checked in the future";
  if (token.expiresAt - token.checkedAt > LONGEST_LIFE_MS + CLOCK_SLACK_MS) {
    return "the token's stored life is longer than any token's";
  }
  if (token.expiresAt <= now) return "the token's time seems to be over";
  return null;
}
