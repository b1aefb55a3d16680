/**
 * The transport `proxy`: a local tunneler forwards two loopback ports into the mesh. Exactly the
 * mapped names are dialled, at exactly their addresses; every other name is refused unseen, so that a
 * changed URL cannot carry a token somewhere else (SPEC §7).
 */

import { AgentError } from "../errors.ts";
import type { HostPort } from "../model/config.ts";
import { connectTcp } from "./connect.ts";
import type { Dialer } from "./dialer.ts";
import { faultsOf } from "./wire_faults.ts";

/** A name and port of the mesh, and the local address that the tunneler forwards to it. */
export interface ProxyMapping {
  readonly name: HostPort;
  readonly address: HostPort;
}

/** Gives the dialer. Names are compared without case. */
export function createProxyDialer(mappings: readonly ProxyMapping[]): Dialer {
  const byName = new Map(mappings.map(({ name, address }) => [keyOf(name), address]));
  return {
    dropped: "closed the connection before it answered: the proxy took the connection and let it " +
      "go, so the service is not there, may not be dialled, or its host died",
    dial: async (target, signal) => {
      const address = byName.get(keyOf(target));
      if (address === undefined) {
        throw new AgentError(
          "TRANSPORT_UNMAPPED",
          `the proxy maps no address to ${target.host}:${target.port}`,
          { data: { peer: target.peer, phase: "dial" } },
        );
      }
      const faults = faultsOf(target.peer);
      return await connectTcp(address, { faults, signal, role: "the proxy at" });
    },
  };
}

function keyOf({ host, port }: HostPort): string {
  return `${host.toLowerCase()}:${port}`;
}
