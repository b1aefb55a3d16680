/**
 * The box's ziti identity file: what must be in it for the transport `sdk`, told without a library
 * (facts: ziti §3). Pure: the caller reads the file and the clock. No sentence here quotes a value of
 * the file, which holds a private key.
 */

import { type Certificate, keyBelongs, readCertificate } from "./certificate.ts";
import { pemBlocks } from "./pem.ts";

/** What a usable file says. */
export interface Identity {
  /** How many controllers it names. */
  readonly controllers: number;
  /** Its certificate's dates in epoch milliseconds; null when the file only refers to it. */
  readonly validity: { readonly notBefore: number; readonly notAfter: number } | null;
}

/** A usable file, or what is wrong with it: the rest of a sentence that begins with "the identity file". */
export type IdentityReading =
  | { readonly identity: Identity }
  | { readonly wrong: string };

/** Below this the agent warns: the mesh renews a certificate thirty days ahead, if somebody does. */
export const WARN_BELOW_DAYS = 30;
const DAY_MS = 86_400_000;

/** Takes the file's text; gives what it says. */
export function readIdentity(text: string): IdentityReading {
  const file = parsed(text);
  if (file === null) return { wrong: "is not JSON" };
  const controllers = controllersOf(file);
  if (controllers === 0) return { wrong: "names no controller (ztAPI, ztAPIs)" };
  const id = file["id"];
  if (!isRecord(id)) return { wrong: "has no id" };
  const { cert, key } = id;
  if (typeof cert !== "string" || cert === "") return { wrong: "has no certificate" };
  if (typeof key !== "string" || key === "") return { wrong: "has no key" };
  const certificate = certificateOf(cert);
  if (certificate === "broken") return { wrong: "has a broken certificate" };
  if (certificate === null) return { identity: { controllers, validity: null } };
  const wrong = judgeKey(key, certificate);
  if (wrong !== null) return { wrong };
  const { notBefore, notAfter } = certificate;
  return { identity: { controllers, validity: { notBefore, notAfter } } };
}

/** What the clock makes of an identity: usable, with the whole days left (null: not known), or not. */
export type IdentityAge =
  | { readonly daysLeft: number | null }
  | { readonly wrong: string };

/** Takes an identity and the time in epoch milliseconds; gives whether its certificate holds then. */
export function identityAge({ validity }: Identity, nowMs: number): IdentityAge {
  if (validity === null) return { daysLeft: null };
  const day = (ms: number): string => new Date(ms).toISOString();
  const seen = `seen from this box's clock: ${day(nowMs)}`;
  if (nowMs >= validity.notAfter) {
    return { wrong: `has a certificate that expired at ${day(validity.notAfter)}, ${seen}` };
  }
  if (nowMs < validity.notBefore) {
    return { wrong: `has a certificate that begins at ${day(validity.notBefore)}, ${seen}` };
  }
  return { daysLeft: Math.floor((validity.notAfter - nowMs) / DAY_MS) };
}

/** Takes a file's permission bits; gives what is wrong with them, or null. */
export function identityModeProblem(mode: number): string | null {
  return (mode & 0o007) === 0 ? null : "is open to every user of this box";
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An enrolled file may say `"ztAPIs": null`. */
function controllersOf(file: Readonly<Record<string, unknown>>): number {
  const several = Array.isArray(file["ztAPIs"]) ? file["ztAPIs"] : [];
  const all = [file["ztAPI"], ...several].filter((each) => typeof each === "string" && each !== "");
  return new Set(all).size;
}

/** The leaf stands first. A reference (`file://`, a key store) cannot be looked at: null. */
function certificateOf(value: string): Certificate | "broken" | null {
  if (isReference(value)) return null;
  const block = pemBlocks(value).find(({ label }) => label === "CERTIFICATE");
  if (block === undefined || block.bytes === null) return "broken";
  return readCertificate(block.bytes) ?? "broken";
}

function judgeKey(value: string, certificate: Certificate): string | null {
  if (isReference(value)) return null;
  const block = pemBlocks(value).find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined || block.bytes === null) return "has a broken key";
  return keyBelongs(certificate, block.bytes) === false
    ? "has a key that belongs to another certificate"
    : null;
}

/** Values are `pem:…`, bare PEM, or a URL of something else. */
function isReference(value: string): boolean {
  return !value.startsWith("pem:") && /^[a-z][a-z0-9+.-]*:/i.test(value);
}
