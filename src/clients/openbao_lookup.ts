/**
 * lookup-self (facts: openbao §1.2): the one call that tells a dead token from a policy's denial,
 * asked alone by openbao.ts and beside the reads by secrets.ts.
 */

import { readLookup, type TokenLookup } from "../model/bao_wire.ts";
import type { HttpReply } from "../ports.ts";
import { badAnswer, failureOf, isForbidden, jsonOf } from "./openbao_reply.ts";

/** Where a token asks about itself. */
export const LOOKUP_TARGET = "/v1/auth/token/lookup-self";

/** Takes the reply of lookup-self; gives the token's facts, null for a dead one. Throws as OpenBao does. */
export function lookupOf(reply: HttpReply): TokenLookup | null {
  const what = "lookup-self";
  if (isForbidden(reply)) return null;
  if (reply.status !== 200) throw failureOf(reply, what);
  const lookup = readLookup(jsonOf(reply, what));
  if (lookup === null) throw badAnswer(reply, what, "of another shape than lookup-self's");
  return lookup;
}
