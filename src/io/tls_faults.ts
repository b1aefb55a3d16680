/**
 * What can go wrong when TLS is added to a connection, as AgentErrors: the sentences of the runtime's
 * own TLS, sorted. Node's TLS is told in the same sentences (tls_node.ts), so that a transport does
 * not decide how a failure is called.
 */

import { AgentError } from "../errors.ts";
import type { Duplex } from "./duplex.ts";
import type { Faults } from "./wire_faults.ts";

/** What a TLS session is checked against. */
export interface TlsContext {
  /** The URL's host. */
  readonly host: string;
  /** PEM text of further roots, or null. */
  readonly caPem: string | null;
  readonly faults: Faults;
  /** What a peer that closes during the handshake did, as the rest of a sentence. */
  readonly dropped: string;
  /** Ends the handshake by closing the connection. */
  readonly signal: AbortSignal;
  /** Dials the same target once more, for a stream whose first handshake told too little. */
  readonly redial: () => Promise<Duplex>;
}

/** Gives CONFIG_INVALID: before a handshake only the settings can be wrong. */
export function settingsFault(thrown: unknown, { host }: TlsContext): AgentError {
  const byName = thrown instanceof Error && /hostname/i.test(thrown.message);
  const what = byName
    ? `"${host}" is no name that a certificate can carry`
    : "the file that bao.ca names holds a broken certificate";
  return new AgentError("CONFIG_INVALID", what, {
    cause: thrown,
    data: { phase: "tls", host, key: byName ? "bao.addr" : "bao.ca" },
  });
}

/** Sorts what the runtime's TLS says; its sentences name hosts and dates, never secrets. */
export function tlsFault(thrown: unknown, { host, faults, dropped }: TlsContext): AgentError {
  const text = thrown instanceof Error ? thrown.message : "";
  const data = { phase: "tls", host };
  if (/certificate expired|not valid yet/i.test(text)) {
    const localTime = new Date().toISOString();
    const side = /expired/i.test(text) ? "expired" : "is not valid yet";
    return new AgentError(
      "CLOCK_OR_CERT",
      `the certificate of ${faults.name} ${side}, seen from this box's clock: ${localTime}`,
      { cause: thrown, data: { ...data, localTime } },
    );
  }
  if (/peer certificate|received fatal alert|peer is incompatible/i.test(text)) {
    return new AgentError(
      "TLS_REFUSED",
      `TLS with ${faults.name} failed: ${reasonOf(text, host)}`,
      {
        cause: thrown,
        data,
      },
    );
  }
  if (/corrupt message|decode|InvalidContentType|inappropriate/i.test(text)) {
    return faults.badAnswer("tls", "is not TLS: the port speaks something else");
  }
  return faults.unavailable("tls", dropped, { cause: thrown });
}

/** Alerts by which a server refuses who we are (RFC 8446 §6.2). */
const ABOUT_US = /received fatal alert: (?:\w*Certificate\w*|UnknownCA|AccessDenied)/i;

/**
 * Takes what ended an exchange after its handshake; gives TLS_REFUSED when that is an alert about
 * certificates, or null. With TLS 1.3 the handshake is over for us before the server has looked at what
 * we sent for it; any other alert, as of a server that breaks down, may come long after.
 */
export function lateAlert(thrown: unknown, faults: Faults): AgentError | null {
  const text = thrown instanceof Error ? thrown.message : "";
  if (!ABOUT_US.test(text)) return null;
  return new AgentError("TLS_REFUSED", `TLS with ${faults.name} failed: ${reasonOf(text, "")}`, {
    cause: thrown,
    data: { phase: "tls" },
  });
}

function reasonOf(text: string, host: string): string {
  // Whoever shows none cannot show a bad one: Go's servers say so where others ask for one.
  if (/fatal alert: (?:CertificateRequired|BadCertificate)/i.test(text)) {
    return "it wants a client certificate, and the agent has none";
  }
  if (/not valid for any names/i.test(text)) {
    return "the certificate names no host in its subjectAltName";
  }
  if (/CaUsedAsEndEntity/i.test(text)) {
    return "the certificate is that of a CA, which no server may show as its own";
  }
  if (/not valid for (?:any )?name/i.test(text)) {
    return `the certificate is for another name than "${host}"`;
  }
  if (/UnknownIssuer/i.test(text)) return "the certificate has an issuer that is not trusted here";
  if (/received fatal alert|incompatible/i.test(text)) return "the server declined the handshake";
  return "the certificate is not acceptable";
}
