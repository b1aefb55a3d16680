// Keys and signatures: grants as JWT, bundles as compact JWS, both ES256.

import { CompactSign, exportJWK, exportSPKI, importJWK, importPKCS8, SignJWT } from "jose";

/** A signing key and the PEM of its public half. */
export interface SigningKey {
  readonly privateKey: CryptoKey;
  /** SPKI PEM. */
  readonly publicPem: string;
}

/** Reads a P-256 private key from PKCS#8 PEM. Throws `TypeError` or a jose error for another. */
export async function readSigningKey(pem: string): Promise<SigningKey> {
  const privateKey = await importPKCS8(pem, "ES256", { extractable: true });
  const { d: _private, ...jwk } = await exportJWK(privateKey);
  const publicKey = await importJWK({ ...jwk, alg: "ES256" }, "ES256", { extractable: true });
  if (publicKey instanceof Uint8Array) throw new TypeError("the key is not an EC key");
  return { privateKey, publicPem: await exportSPKI(publicKey) };
}

/** Signs claims as a JWT with header `{"alg":"ES256","typ":"JWT"}`; claims are taken as they are. */
export async function signGrantClaims(
  key: SigningKey,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  return await new SignJWT({ ...claims }).setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .sign(key.privateKey);
}

/** Signs a bundle's payload as a compact JWS with header `{"alg":"ES256"}`. */
export async function signBundlePayload(
  key: SigningKey,
  payload: Readonly<Record<string, unknown>>,
): Promise<string> {
  return await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: "ES256" }).sign(key.privateKey);
}
