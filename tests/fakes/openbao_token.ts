/** The token calls of OpenBao's stand-in (facts: openbao §1.2 to §1.5). */

import type { HttpReply } from "../../src/ports.ts";
import { authOf } from "./openbao_jwt.ts";
import { deadToken, envelope, noContent } from "./openbao_reply.ts";
import { errors, policyDenial } from "./openbao_reply.ts";
import { type FakeState, type FakeToken, livingToken } from "./openbao_state.ts";

/** Answers `auth/token/<call>` for a living token; null for a call that it does not know. */
export function answerTokenCall(
  state: FakeState,
  token: FakeToken,
  request: { readonly call: string; readonly body: Readonly<Record<string, unknown>> },
): HttpReply | null {
  switch (request.call) {
    case "lookup-self":
      return envelope(200, { data: lookupData(state, token) });
    case "renew-self":
      return renew(state, token, request.body["increment"]);
    case "revoke-self":
      state.tokens.delete(token.id);
      return noContent();
    case "lookup":
      return lookupOther(state, token, request.body["token"]);
    default:
      return null;
  }
}

function lookupOther(state: FakeState, token: FakeToken, id: unknown): HttpReply {
  if (!token.policies.includes("tenancy")) return policyDenial();
  const other = typeof id === "string" ? livingToken(state, id) : null;
  return other === null
    ? errors(403, "bad token")
    : envelope(200, { data: lookupData(state, other) });
}

function renew(state: FakeState, token: FakeToken, increment: unknown): HttpReply {
  const now = state.now();
  const leftS = Math.floor((token.issuedAtMs + token.maxTtlS * 1000 - now) / 1000);
  if (leftS <= 0) return deadToken();
  const askedS = secondsOf(increment) ?? token.ttlS;
  const ttlS = Math.min(askedS, leftS);
  token.expiresAtMs = now + ttlS * 1000;
  const warnings = ttlS < askedS
    ? [
      `TTL of "${askedS}s" exceeded the effective max_ttl of "${leftS}s"; TTL value is capped ` +
      "accordingly",
    ]
    : null;
  return envelope(200, {
    auth: authOf(token, ttlS),
    ...(warnings === null ? {} : { warnings }),
  });
}

function secondsOf(increment: unknown): number | null {
  if (typeof increment === "number") return increment;
  if (typeof increment !== "string") return null;
  const match = /^(\d+)([smh]?)$/.exec(increment);
  if (match === null) return null;
  return Number(match[1]) * (match[2] === "h" ? 3600 : match[2] === "m" ? 60 : 1);
}

function lookupData(state: FakeState, token: FakeToken): unknown {
  return {
    accessor: token.accessor,
    creation_time: Math.floor(token.issuedAtMs / 1000),
    creation_ttl: token.ttlS,
    display_name: `jwt-tenancy-${token.alias}`,
    entity_id: crypto.randomUUID(),
    expire_time: new Date(token.expiresAtMs).toISOString(),
    explicit_max_ttl: 0,
    id: token.id,
    issue_time: new Date(token.issuedAtMs).toISOString(),
    meta: token.meta,
    num_uses: 0,
    orphan: true,
    path: "auth/jwt-tenancy/login",
    policies: token.policies,
    renewable: true,
    ttl: Math.floor((token.expiresAtMs - state.now()) / 1000),
    type: "service",
  };
}
