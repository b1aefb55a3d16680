/**
 * TLS over a dialled connection: the name checked and sent (SNI) is the URL's host whatever address
 * was dialled, the trusted roots are the runtime's plus the configured CA. There is no switch that
 * turns any of it off (SPEC §5).
 *
 * Measured on Deno 2.9.6: `caCerts` is added to the default roots, which are the system's when
 * DENO_TLS_CA_STORE=system is set (the launcher sets it) and Mozilla's bundled list otherwise; PEM
 * text without a certificate in it is ignored without a word, hence checkCaPem; the first call of a
 * process costs 27 ms for loading the roots, each further one less than 1 ms; a connection that is
 * closed in the middle of its handshake ends for us at once, but the runtime keeps the socket open
 * until the other side closes it.
 */

import { AgentError } from "../errors.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";
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
}

/** Throws CONFIG_INVALID when the text holds no PEM certificate. */
export function checkCaPem(caPem: string): void {
  if (/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.test(caPem)) return;
  throw new AgentError("CONFIG_INVALID", "the file that bao.ca names holds no PEM certificate", {
    data: { key: "bao.ca" },
  });
}

/**
 * Takes a dialled TCP connection over and gives it with TLS done. Throws CLOCK_OR_CERT for dates,
 * TLS_REFUSED for any other certificate or alert, X_BAD_ANSWER when the peer speaks no TLS,
 * CONFIG_INVALID for a CA that is none, TRANSPORT_UNSUPPORTED for a stream that is not TCP.
 */
export async function secure(duplex: Duplex, context: TlsContext): Promise<Duplex> {
  if (!isTcp(duplex)) {
    throw new AgentError("TRANSPORT_UNSUPPORTED", "this transport cannot carry https yet", {
      data: { phase: "tls" },
    });
  }
  let conn: Deno.TlsConn;
  try {
    conn = await Deno.startTls(duplex, {
      hostname: context.host,
      caCerts: context.caPem === null ? [] : [context.caPem],
    });
  } catch (thrown) {
    // Nothing was sent yet: only the settings can be wrong.
    throw settingsFault(thrown, context);
  }
  const onAbort = (): void => closeQuietly(conn);
  context.signal.addEventListener("abort", onAbort, { once: true });
  try {
    await conn.handshake();
    return conn;
  } catch (thrown) {
    closeQuietly(conn);
    throw tlsFault(thrown, context);
  } finally {
    context.signal.removeEventListener("abort", onAbort);
  }
}

function isTcp(duplex: Duplex): duplex is Deno.TcpConn {
  return "setNoDelay" in duplex;
}

function settingsFault(thrown: unknown, { host }: TlsContext): AgentError {
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
function tlsFault(thrown: unknown, { host, faults, dropped }: TlsContext): AgentError {
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

function reasonOf(text: string, host: string): string {
  if (/not valid for (?:any )?name/i.test(text)) {
    return `the certificate is for another name than "${host}"`;
  }
  if (/UnknownIssuer/i.test(text)) return "the certificate has an issuer that is not trusted here";
  if (/received fatal alert|incompatible/i.test(text)) return "the server declined the handshake";
  return "the certificate is not acceptable";
}
