/** Grants, signed as tenancy signs them. */

import type { TenancyKeys } from "./info.ts";

/** Claims to set, or with `undefined` to leave out, in a grant. */
export type GrantClaims = Readonly<Record<string, string | number | undefined>>;

/**
 * Signs a JWT with ES256.
 *
 * @param keyFile PKCS#8 PEM file of a P-256 key
 * @param claims the payload
 * @param header added to `{alg: "ES256", typ: "JWT"}`
 * @returns the compact form
 * @throws DOMException when the file holds no such key
 */
export async function signJwt(
  keyFile: string,
  claims: object,
  header: Readonly<Record<string, string>> = {},
): Promise<string> {
  const pem = await Deno.readTextFile(keyFile);
  const der = Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, "")), (c) => c.charCodeAt(0));
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("pkcs8", der, algorithm, false, ["sign"]);
  const encode = (part: object): string =>
    base64url(new TextEncoder().encode(JSON.stringify(part)));
  const signed = `${encode({ alg: "ES256", typ: "JWT", ...header })}.${encode(claims)}`;
  const data = new TextEncoder().encode(signed);
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, data);
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

/**
 * Signs a grant for an env, valid for one hour from now.
 *
 * @param lab the lab whose tenancy signs
 * @param envId `env-qa-02`
 * @param overrides claims that differ: `{exp: …}`, `{kind: undefined}`
 * @returns the grant, a compact JWT
 */
export function mintGrant(
  lab: { readonly keys: TenancyKeys },
  envId: string,
  overrides: GrantClaims = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return signJwt(lab.keys.grantKey, {
    iss: lab.keys.issuer,
    aud: "openbao-see-env",
    sub: `agent:${envId}`,
    env_id: envId,
    kind: "deploy-grant",
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 3600,
    ...overrides,
  });
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
