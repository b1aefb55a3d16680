/**
 * How a remote's name becomes a byte stream, per transport (SPEC §7). A dialer never falls back to
 * another way: a name it does not know is refused before anything is dialled.
 */

import { AgentError } from "../errors.ts";
import type { HostPort, Transport } from "../model/config.ts";
import type { Peer } from "../ports.ts";
import type { Duplex } from "./duplex.ts";
import { createProxyDialer, type ProxyMapping } from "./dialer_proxy.ts";

/** What is to be dialled: the name and port of the URL, and the ziti service behind it. */
export interface DialTarget extends HostPort {
  readonly peer: Peer;
  readonly service: string;
}

/** One way into the mesh. */
export interface Dialer {
  /**
   * What it most likely means, over this transport, when a connection closes before a byte of the
   * answer: the rest of a sentence that begins with the peer's name.
   */
  readonly dropped: string;
  /**
   * Connects. Gives up when the signal aborts. Throws X_UNAVAILABLE (phase `dial`),
   * TRANSPORT_UNMAPPED, TRANSPORT_NOT_INTERCEPTED, PERMISSION_MISSING or ZITI_*.
   */
  dial(target: DialTarget, signal: AbortSignal): Promise<Duplex>;
}

/** What the transports need to know. */
export interface DialerOptions {
  readonly transport: Transport;
  /** For `proxy`: which name is forwarded at which local address. */
  readonly mappings: readonly ProxyMapping[];
}

/** Gives the dialer of a transport; one whose dials throw TRANSPORT_UNSUPPORTED for a transport that is not built in. */
export function createDialer(options: DialerOptions): Dialer {
  if (options.transport === "proxy") return createProxyDialer(options.mappings);
  const { transport } = options;
  return {
    dropped: "closed the connection before it answered",
    dial: (): Promise<Duplex> =>
      Promise.reject(
        new AgentError(
          "TRANSPORT_UNSUPPORTED",
          `this version does not speak the transport "${transport}"`,
          { data: { transport } },
        ),
      ),
  };
}
