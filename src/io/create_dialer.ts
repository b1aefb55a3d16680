/**
 * The dialer of each transport (SPEC §7). A dialer never falls back to another way: a name it does
 * not know is refused before anything is dialled.
 */

import { AgentError } from "../errors.ts";
import type { Transport } from "../model/config.ts";
import type { Dialer } from "./dialer.ts";
import { createProxyDialer, type ProxyMapping } from "./dialer_proxy.ts";
import { createSystemDialer } from "./dialer_system.ts";
import type { Duplex } from "./duplex.ts";

/** What the transports need to know. */
export interface DialerOptions {
  readonly transport: Transport;
  /** For `proxy`: which name is forwarded at which local address. */
  readonly mappings: readonly ProxyMapping[];
  /** For `system`: where intercepted names lead, in CIDR notation. */
  readonly ipRange: string;
}

/** Gives the dialer of a transport; one whose dials throw TRANSPORT_UNSUPPORTED for a transport that is not built in. */
export function createDialer(options: DialerOptions): Dialer {
  if (options.transport === "proxy") return createProxyDialer(options.mappings);
  if (options.transport === "system") return createSystemDialer(options.ipRange);
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
