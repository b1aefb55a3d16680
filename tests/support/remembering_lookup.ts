/**
 * A tenancy that knows its agents while OpenBao is away: what a box meets when only its own way to
 * OpenBao is broken.
 */

import type { LookupResult, TokenLookup } from "../../scripts/tenancy/mod.ts";

/** Takes tenancy's lookup; gives one that repeats its last good answer while OpenBao gives none. */
export function rememberingLookup(lookup: TokenLookup): TokenLookup {
  const known = new Map<string, LookupResult>();
  return {
    ...lookup,
    async lookup(token, signal): Promise<LookupResult> {
      const result = await lookup.lookup(token, signal);
      if (result.kind === "unavailable") return known.get(token) ?? result;
      known.set(token, result);
      return result;
    },
  };
}
