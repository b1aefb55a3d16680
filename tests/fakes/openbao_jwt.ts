/** The jwt auth mount of OpenBao's stand-in: what it says to a grant (facts: openbao §1.1). */

import type { HttpReply } from "../../src/ports.ts";
import { base62, type FakeState, type FakeToken } from "./openbao_state.ts";
import { envelope, errors } from "./openbao_reply.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Answers `POST auth/jwt-tenancy/login`. */
export async function answerLogin(state: FakeState, body: Claims): Promise<HttpReply> {
  const { role, jwt } = { role: body["role"], jwt: body["jwt"] };
  if (typeof role !== "string" || role === "") return errors(400, "missing role");
  if (role.toLowerCase() !== "see-env") {
    return errors(400, `role "${role.toLowerCase()}" could not be found`);
  }
  if (typeof jwt !== "string" || jwt === "") return errors(400, "missing token");
  const claims = await verifiedClaims(state, jwt);
  if (claims === null) {
    return errors(
      400,
      "error validating token: error verifying token signature: no known key successfully " +
        "validated the token signature",
    );
  }
  const refusal = refusalOf(state, claims);
  if (refusal !== null) return errors(400, refusal);
  const token = mintToken(state, claims);
  state.tokens.set(token.id, token);
  state.aliases.set(token.alias, textClaim(claims, "env_id"));
  return envelope(200, { auth: authOf(token, token.ttlS) });
}

/** The `auth` part of a login or renewal. */
export function authOf(token: FakeToken, ttlS: number): unknown {
  return {
    client_token: token.id,
    accessor: token.accessor,
    policies: token.policies,
    token_policies: token.policies,
    metadata: token.meta,
    lease_duration: ttlS,
    renewable: true,
    entity_id: crypto.randomUUID(),
    token_type: "service",
    orphan: true,
    mfa_requirement: null,
    num_uses: 0,
  };
}

function mintToken(state: FakeState, claims: Claims): FakeToken {
  const meta: Record<string, string> = { role: "see-env" };
  const [envId, jti] = [textClaim(claims, "env_id"), textClaim(claims, "jti")];
  if (envId !== null) meta["env_id"] = envId;
  if (jti !== null) meta["grant_jti"] = jti;
  const { tokenTtlS, tokenMaxTtlS, noDefaultPolicy } = state.role;
  const now = state.now();
  return {
    id: `s.${base62()}`,
    accessor: base62(),
    policies: noDefaultPolicy ? ["see-env"] : ["default", "see-env"],
    meta,
    alias: String(claims["sub"]),
    issuedAtMs: now,
    ttlS: tokenTtlS,
    maxTtlS: tokenMaxTtlS,
    expiresAtMs: now + tokenTtlS * 1000,
  };
}

/** The first rule that the claims break, in OpenBao's order and words. */
function refusalOf(state: FakeState, claims: Claims): string | null {
  const nowS = state.now() / 1000;
  const leewayS = Math.max(0, state.role.clockSkewLeewayS);
  const [iat, nbf, exp] = [claims["iat"], claims["nbf"] ?? claims["iat"], claims["exp"]];
  if (claims["iss"] !== state.issuer) return "error validating token: invalid issuer (iss) claim";
  if (typeof nbf === "number" && nbf > nowS + leewayS) {
    return "error validating token: invalid not before (nbf) claim: token not yet valid";
  }
  if (typeof exp === "number" && exp + leewayS < nowS) {
    return "error validating token: invalid expiration time (exp) claim: token is expired";
  }
  if (typeof iat === "number" && iat > nowS + leewayS) {
    return "error validating token: invalid issued at (iat) claim: token issued in the future";
  }
  if (claims["aud"] !== "openbao-see-env") {
    return "error validating token: invalid audience (aud) claim: audience claim does not match " +
      "any bound audience";
  }
  if (claims["sub"] === undefined) return 'claim "sub" not found in token';
  for (const name of ["env_id", "jti"]) {
    const value = claims[name];
    if (value !== undefined && typeof value !== "string") {
      return `error converting claim '${name}' to string`;
    }
  }
  if (claims["kind"] === undefined) {
    return 'error validating claims: claim "kind" is missing';
  }
  return claims["kind"] === "deploy-grant"
    ? null
    : 'error validating claims: claim "kind" does not match any associated bound claim values';
}

function textClaim(claims: Claims, name: string): string | null {
  const value = claims[name];
  return typeof value === "string" ? value : null;
}

async function verifiedClaims(state: FakeState, jwt: string): Promise<Claims | null> {
  try {
    const [header = "", payload = "", signature = ""] = jwt.split(".");
    const valid = await crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      state.publicKey,
      bytesOf(signature),
      new TextEncoder().encode(`${header}.${payload}`),
    );
    return valid ? JSON.parse(new TextDecoder().decode(bytesOf(payload))) : null;
  } catch {
    return null;
  }
}

function bytesOf(part: string): Uint8Array<ArrayBuffer> {
  const binary = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
