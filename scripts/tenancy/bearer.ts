// Decides, from what OpenBao says about a bearer, whether a request is let through.

import { type GrantRegister, withDeadline } from "./grants.ts";
import { Refusal } from "./reply.ts";
import type { LookupResult, TokenLookup } from "./token_lookup.ts";

/** What is known of a bearer once OpenBao was asked. */
export interface Bearer {
  readonly result: LookupResult;
  /** The environment of a valid one, else null. */
  readonly env: string | null;
}

/** Asks OpenBao about a token; takes `timeoutMs` at most and never throws. */
export async function lookUpBearer(
  lookup: TokenLookup,
  token: string,
  timeoutMs: number,
): Promise<Bearer> {
  const result = await withDeadline(timeoutMs, (signal) => lookup.lookup(token, signal));
  return { result, env: result.kind === "valid" ? result.envId : null };
}

/**
 * Lets a bearer through for `env` (null: whichever it belongs to) and gives its environment.
 * Throws `Refusal`: 503 when OpenBao cannot say, 401 for a bad or superseded token, 403 for a token
 * of another environment. Superseded comes first: such a token has no environment any more.
 */
export function admitBearer(grants: GrantRegister, bearer: Bearer, env: string | null): string {
  const { result } = bearer;
  if (result.kind === "unavailable") {
    throw new Refusal(503, "TENANCY_UNAVAILABLE", result.reason);
  }
  if (result.kind === "bad_token") {
    throw new Refusal(401, "AGENT_UNAUTHENTICATED", "OpenBao does not know this token");
  }
  const own = result.envId;
  if (own === null) {
    throw new Refusal(403, "AGENT_ENV_MISMATCH", "this token belongs to no environment");
  }
  if (grants.isRefused(own, result.grantJti)) {
    throw new Refusal(401, "AGENT_UNAUTHENTICATED", "the grant behind this token was superseded");
  }
  if (env !== null && env !== own) {
    throw new Refusal(403, "AGENT_ENV_MISMATCH", `this token belongs to ${own}, not to ${env}`);
  }
  return own;
}
