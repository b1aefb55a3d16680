/**
 * What a dialer is: how a remote's name becomes a byte stream (SPEC §7). Types only; create_dialer.ts
 * chooses one.
 */

import type { HostPort } from "../model/config.ts";
import type { Peer } from "../ports.ts";
import type { Duplex } from "./duplex.ts";

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
  /** Ends what the transport keeps between dials, if it keeps something. */
  close?(): Promise<void>;
}
