/** Signs JWTs with ES256, as tenancy does. */

/** Takes a P-256 private key and the claims; gives the compact form. */
export async function signJwt(key: CryptoKey, claims: object): Promise<string> {
  const encode = (part: object): string =>
    base64url(new TextEncoder().encode(JSON.stringify(part)));
  const signed = `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    new TextEncoder().encode(signed),
  );
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
