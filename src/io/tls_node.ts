/**
 * TLS over a stream that is not TCP, such as the bridge's unix socket, which the runtime's own
 * startTls refuses (measured: BadResource). Node's TLS instead, with the same checks and the same
 * codes; loaded when it is needed, never by a converged tick.
 *
 * Two traps, both measured on Deno 2.9.6. `ca` replaces the trusted roots, and reading those to add
 * to them needs a permission that no flag can give: so the configured CA is tried first, and the
 * roots in a second handshake, on a connection of its own. And an expired certificate is told like
 * one of an unknown issuer: so the server is asked which certificate it shows (tls_shown.ts). No
 * byte of a request is written before a handshake was accepted.
 */

import type { ConnectionOptions, TLSSocket } from "node:tls";
import { AgentError } from "../errors.ts";
import { type Certificate, readCertificate } from "../model/certificate.ts";
import { isAddress } from "../model/ip_range.ts";
import { pemBlocks } from "../model/pem.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";
import { fromNodeDuplex, toNodeDuplex } from "./node_duplex.ts";
import { settingsFault, type TlsContext, tlsFault } from "./tls_faults.ts";
import { shownCertificate } from "./tls_shown.ts";

/** Takes a dialled stream over and gives it with TLS done. Throws what `secure` of tls.ts throws. */
export async function secureAny(duplex: Duplex, context: TlsContext): Promise<Duplex> {
  const { caPem } = context;
  if (caPem !== null) checkEveryBlock(caPem, context);
  let refused = await handshake(duplex, { ...context, caPem });
  if (!isUntrusted(refused)) return given(refused, context);
  const shown = await askWhatIsShown(context);
  const dates = shown === null ? null : datesWrong(shown);
  if (dates !== null) throw tlsFault(new Error(dates), context);
  if (caPem !== null) {
    refused = await handshake(await context.redial(), { ...context, caPem: null });
    if (!isUntrusted(refused)) return given(refused, context);
  }
  throw tlsFault(new Error("invalid peer certificate: UnknownIssuer"), context);
}

async function askWhatIsShown({ host, signal, redial }: TlsContext): Promise<Certificate | null> {
  const duplex = await redial();
  const onAbort = (): void => closeQuietly(duplex);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await shownCertificate(duplex, host);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** A session, or the error that ended its handshake. */
type Outcome = Duplex | Error;

/** Runs one handshake; closes the stream when it fails or the signal aborts. */
async function handshake(duplex: Duplex, context: TlsContext): Promise<Outcome> {
  const { connect } = await import("node:tls");
  const { host, caPem, signal } = context;
  const name: ConnectionOptions = isAddress(host) ? { host } : { servername: host };
  const stream = await toNodeDuplex(duplex);
  let socket: TLSSocket;
  try {
    socket = connect({ socket: stream, ...name, ...(caPem === null ? {} : { ca: [caPem] }) });
  } catch (thrown) {
    closeQuietly(duplex);
    throw settingsFault(thrown, context);
  }
  // A fault of the stream below must end the session, not the process.
  stream.on("error", (thrown) => socket.destroy(thrown));
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("closed in the handshake")));
    });
    // Node says the same by an error; a second look costs nothing.
    if (!socket.authorized) throw new Error("invalid peer certificate");
    return fromNodeDuplex(socket);
  } catch (thrown) {
    socket.on("error", () => {});
    socket.destroy();
    closeQuietly(duplex);
    return thrown instanceof Error ? thrown : new Error("the handshake failed");
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function given(outcome: Outcome, context: TlsContext): Duplex {
  if (!(outcome instanceof Error)) return outcome;
  const otherName = codeOf(outcome) === "ERR_TLS_CERT_ALTNAME_INVALID";
  throw tlsFault(
    otherName ? new Error("invalid peer certificate: not valid for name") : outcome,
    context,
  );
}

function isUntrusted(outcome: Outcome): boolean {
  return outcome instanceof Error &&
    /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_)/.test(codeOf(outcome));
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}

/** In the words of the runtime's own TLS, which tls.ts sorts. */
function datesWrong(
  { notBefore, notAfter }: { notBefore: number; notAfter: number },
): string | null {
  const now = Date.now();
  if (now >= notAfter) return "certificate expired";
  return now < notBefore ? "certificate not valid yet" : null;
}

/** Node skips a block that it cannot read, with a word on standard error; startTls refuses it. */
function checkEveryBlock(caPem: string, context: TlsContext): void {
  const certificates = pemBlocks(caPem).filter(({ label }) => label === "CERTIFICATE");
  const isBroken = certificates.length === 0 ||
    certificates.some(({ bytes }) => bytes === null || readCertificate(bytes) === null);
  if (isBroken) throw settingsFault(new AgentError("CONFIG_INVALID", "no certificate"), context);
}
