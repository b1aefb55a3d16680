/**
 * The kind of `tenancy.bundle_keys`: a PEM public key inline, or the path of a file that holds some.
 * Only P-256 keys pass, since bundles are signed with ES256 (SPEC §3). A key's text is never quoted,
 * because what stands there by mistake may be a private one.
 */

import { type Kind, textKind, type TextReading } from "./kind.ts";
import { path } from "./kind_path.ts";

/** SubjectPublicKeyInfo of an uncompressed P-256 point: these 27 bytes, then 64 more (RFC 5480). */
const P256_HEADER = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";
const P256_BYTES = 91;
const MAX_KEYS = 16;
const BLOCK = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]*)-----END PUBLIC KEY-----/g;

/** A PEM public key, or an absolute path; which of the two, its first character tells. */
export const bundleKey: Kind<string> = textKind({
  type: "PEM or path",
  allowed: "a PEM public key (P-256), or the absolute path of a file that holds some",
  read: (text) => {
    if (!text.includes("-----BEGIN")) {
      if (!text.startsWith("/")) return { wrong: "is neither of the two" };
      const reading = path.read(text);
      return "value" in reading ? reading : { wrong: reading.wrongs[0]?.wrong ?? "is no path" };
    }
    const keys = readPublicKeys(text);
    if ("wrong" in keys) return keys;
    const [key, ...others] = keys.value;
    if (key === undefined || others.length > 0) return { wrong: "holds more than one key" };
    return { value: key };
  },
  show: (value) => value.startsWith("/") ? value : "(inline key)",
});

/**
 * Takes the text of a PEM file; gives its public keys, each as a PEM text of its own (at most 16), or
 * what is wrong with it. Text between the keys is ignored, as PEM readers do (RFC 7468 §2).
 */
export function readPublicKeys(text: string): TextReading<readonly string[]> {
  if (text.includes("PRIVATE KEY-----")) {
    return { wrong: "holds a private key, which must not be on this box" };
  }
  if (text.includes("BEGIN CERTIFICATE")) return { wrong: "holds a certificate, not a public key" };
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length === 0) return { wrong: "holds no PEM public key" };
  if (blocks.length > MAX_KEYS) return { wrong: `holds more than ${MAX_KEYS} keys` };
  const keys: string[] = [];
  for (const block of blocks) {
    const base64 = (block[1] ?? "").replaceAll(/\s/g, "");
    if (!isP256(base64)) return { wrong: "holds a key that is no P-256 public key" };
    keys.push(`-----BEGIN PUBLIC KEY-----\n${wrap(base64)}\n-----END PUBLIC KEY-----\n`);
  }
  return { value: keys };
}

function isP256(base64: string): boolean {
  let bytes: string;
  try {
    bytes = atob(base64);
  } catch {
    return false;
  }
  const hex = [...bytes.slice(0, P256_HEADER.length / 2)]
    .map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return bytes.length === P256_BYTES && hex === P256_HEADER;
}

function wrap(base64: string): string {
  return base64.match(/.{1,64}/g)?.join("\n") ?? "";
}
