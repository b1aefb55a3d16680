/**
 * TLS over a dialled connection: the name checked and sent (SNI) is the URL's host whatever address
 * was dialled, the trusted roots are the runtime's plus the configured CA. There is no switch that
 * turns any of it off (SPEC §5).
 *
 * Measured on Deno 2.9.6: `caCerts` is added to the default roots, which are the system's when
 * DENO_TLS_CA_STORE=system is set (the launcher sets it) and Mozilla's bundled list otherwise; PEM
 * text without a certificate in it is ignored without a word, hence checkCaPem; the first call of a
 * process costs 27 ms for loading the roots, each further one less than 1 ms. A handshake takes one
 * round trip, but two with OpenBao, which asks for a key share that the runtime knows and does not
 * offer at once (X25519MLKEM768; RFC 8446 §4.1.4). One that is given up ends for us at once, but the
 * runtime keeps its socket open until the other side closes it.
 */

import { AgentError } from "../errors.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";
import { settingsFault, type TlsContext, tlsFault } from "./tls_faults.ts";

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
 * CONFIG_INVALID for a CA that is none. A stream that is not TCP goes through tls_node.ts.
 */
export async function secure(duplex: Duplex, context: TlsContext): Promise<Duplex> {
  if (!isTcp(duplex)) return await (await import("./tls_node.ts")).secureAny(duplex, context);
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
