/**
 * What the agent needs to know of a certificate without a crypto library: its dates, and whether a
 * private key belongs to it (RFC 5280 §4.1, RFC 5958, RFC 5915, RFC 8017 §A.1). Trusts nothing and
 * verifies no signature: that is TLS's work.
 */

import { DER, type DerElement, derElements, derInside } from "./der.ts";

/** A certificate's dates in epoch milliseconds, and its public key's bits. */
export interface Certificate {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: Uint8Array;
}

/** Takes a certificate in DER; gives what is known of it, or null when it is none. */
export function readCertificate(der: Uint8Array): Certificate | null {
  const outer = derElements(der);
  const body = derInside(derInside(outer?.[0])?.[0]);
  if (body === null || outer?.length !== 1) return null;
  // The version stands first, but only since there are others than the first.
  const fields = body[0]?.tag === DER.context0 ? body.slice(1) : body;
  const [notBefore, notAfter] = (derInside(fields[3]) ?? []).map(readTime);
  const publicKey = bitsOf(derInside(fields[5])?.[1]);
  if (typeof notBefore !== "number" || typeof notAfter !== "number") return null;
  return publicKey === null ? null : { notBefore, notAfter, publicKey };
}

/**
 * Takes a certificate and a private key in DER (PKCS#8, or an RSA or EC key of its own); says whether
 * they belong together, or null when the key does not tell (an EC key without its public half, an
 * algorithm other than the two).
 */
export function keyBelongs({ publicKey }: Certificate, key: Uint8Array): boolean | null {
  const fields = derInside(derElements(key)?.[0]);
  if (fields === null) return null;
  const inner = fields[2]?.tag === DER.octetString && fields[1]?.tag === DER.sequence
    ? derInside(derElements(fields[2].content)?.[0])
    : fields;
  if (inner === null) return null;
  if (inner[1]?.tag === DER.octetString) return ownPoint(inner, publicKey);
  if (inner[1]?.tag !== DER.integer) return null;
  const modulus = derInside(derElements(publicKey)?.[0])?.[0];
  return modulus !== undefined && isSame(modulus.content, inner[1].content);
}

/** An EC key may carry its public point: version, secret, [0] curve, [1] point. */
function ownPoint(fields: readonly DerElement[], publicKey: Uint8Array): boolean | null {
  const point = bitsOf(
    derInside(fields.find(({ tag }) => tag === DER.context1), DER.context1)?.[0],
  );
  return point === null ? null : isSame(point, publicKey);
}

/** Whole bytes alone: a first byte other than 0 would mean bits left over. */
function bitsOf(element: DerElement | undefined): Uint8Array | null {
  if (element?.tag !== DER.bitString || element.content[0] !== 0) return null;
  return element.content.subarray(1);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** RFC 5280 §4.1.2.5: two digits of the year up to 2049, four afterwards, always in UTC. */
function readTime({ tag, content }: DerElement): number | null {
  const text = String.fromCharCode(...content.subarray(0, 32));
  const digits = tag === DER.utcTime ? 2 : tag === DER.generalizedTime ? 4 : 0;
  const found = new RegExp(
    `^([0-9]{${digits}})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})Z$`,
  )
    .exec(text);
  if (digits === 0 || found === null) return null;
  const [year = 0, month = 0, ...rest] = found.slice(1).map(Number);
  const [day = 0, hour = 0, minute = 0, second = 0] = rest;
  const century = digits === 4 ? 0 : year < 50 ? 2000 : 1900;
  return Date.UTC(century + year, month - 1, day, hour, minute, second);
}
