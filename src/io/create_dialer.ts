/**
 * The dialer of each transport (SPEC §7). A dialer never falls back to another way: a name it does
 * not know is refused before anything is dialled.
 */

import type { Transport } from "../model/config.ts";
import type { Dialer } from "./dialer.ts";
import { createProxyDialer, type ProxyMapping } from "./dialer_proxy.ts";
import type { BridgeLife, SdkOptions } from "./dialer_sdk.ts";
import { createSystemDialer } from "./dialer_system.ts";

/** What the transports need to know; only the part of the one that is used is looked at. */
export interface DialerOptions {
  readonly transport: Transport;
  /** For `proxy`: which name is forwarded at which local address. */
  readonly mappings: readonly ProxyMapping[];
  /** For `system`: where intercepted names lead, in CIDR notation. */
  readonly ipRange: string;
  /** For `sdk`: the bridge and its services. */
  readonly sdk: SdkOptions;
}

/** Gives the dialer of a transport. */
export function createDialer(options: DialerOptions): Dialer {
  switch (options.transport) {
    case "proxy":
      return createProxyDialer(options.mappings);
    case "system":
      return createSystemDialer(options.ipRange);
    case "sdk":
      return sdkDialer(options.sdk);
  }
}

/** The bridge's code is loaded by the first dial: the other transports do not pay for it. */
function sdkDialer(options: SdkOptions): Dialer {
  let loading: Promise<BridgeLife> | null = null;
  const load = async (): Promise<BridgeLife> =>
    new (await import("./dialer_sdk.ts")).BridgeLife(options);
  return {
    dropped: "closed the connection before it answered: its host in the mesh died, or let it go",
    dial: async (target, signal) => await (await (loading ??= load())).dial(target, signal),
    close: async () => await (await loading)?.close(),
  };
}
