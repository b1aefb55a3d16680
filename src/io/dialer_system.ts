/**
 * The transport `system`: a tunneler answers the box's DNS with addresses of its own range and takes
 * the connections to them. A public answer for the same name would lead past the mesh, so no byte
 * leaves for an address outside `system.ip_range` (SPEC §7).
 *
 * It connects by name and looks at the address it got, before anything is written. Measured: to
 * resolve first would need a grant for the resolver, which the config does not know, or for the name
 * on every port, and `node:dns`, which a converged tick does not load. The sandbox checks first: the
 * grants deny every IPv4 address outside the range (core/permissions.ts), and the runtime holds that
 * against every address of an answer before it connects to any (docs/TRANSPORTS.md).
 */

import { AgentError } from "../errors.ts";
import { isAddress, rangeContains } from "../model/ip_range.ts";
import type { Peer } from "../ports.ts";
import { permissionMissing } from "./connect.ts";
import type { Dialer, DialTarget } from "./dialer.ts";
import { closeQuietly } from "./duplex.ts";
import { faultsOf } from "./wire_faults.ts";

/** Gives the dialer. `ipRange` is `system.ip_range` of the config, in CIDR notation. */
export function createSystemDialer(ipRange: string): Dialer {
  return {
    dropped: "closed the connection before it answered: the tunneler took the connection and let " +
      "it go, or the service's host died",
    dial: async (target, signal) => {
      // The sandbox lets a literal through that is granted itself: it is judged here.
      if (isAddress(target.host) && !rangeContains(ipRange, target.host)) {
        throw notIntercepted(target, { ipRange, address: target.host });
      }
      const conn = await connectByName(target, { ipRange, signal });
      const address = conn.remoteAddr.hostname;
      if (rangeContains(ipRange, address)) return conn;
      closeQuietly(conn);
      throw notIntercepted(target, { ipRange, address });
    },
  };
}

interface DialContext {
  readonly ipRange: string;
  readonly signal: AbortSignal;
}

async function connectByName(
  target: DialTarget,
  { ipRange, signal }: DialContext,
): Promise<Deno.TcpConn> {
  const { host, port, peer } = target;
  try {
    const conn = await Deno.connect({ hostname: host, port, signal });
    conn.setNoDelay(true);
    return conn;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) {
      const address = deniedAddress(thrown.message);
      if (address !== null && address !== host) throw notIntercepted(target, { ipRange, address });
      throw permissionMissing(`${host}:${port}`);
    }
    const shown = `${host}:${port}`;
    throw faultsOf(peer).unavailable("dial", `cannot be dialled: ${reasonOf(thrown, shown)}`, {
      cause: thrown,
      address: shown,
    });
  }
}

/** The runtime names what it refuses: the name when it was not granted, the address when it is denied. */
function deniedAddress(text: string): string | null {
  return /net access to "([0-9.]+):[0-9]+"/.exec(text)?.[1] ?? null;
}

function reasonOf(thrown: unknown, shown: string): string {
  const text = thrown instanceof Error ? thrown.message : "";
  if (/failed to lookup address/i.test(text)) {
    return `nobody knows the name of ${shown}, so no tunneler intercepts it`;
  }
  return thrown instanceof Deno.errors.ConnectionRefused
    ? `the tunneler refuses ${shown}: the service is not there or may not be dialled`
    : `${shown} cannot be reached through the tunneler`;
}

function notIntercepted(
  { host, port, peer }: DialTarget,
  { ipRange, address }: { readonly ipRange: string; readonly address: string },
): AgentError {
  return new AgentError(
    "TRANSPORT_NOT_INTERCEPTED",
    `${nameOf(peer)} was not dialled: ${host} leads to ${address}, outside ${ipRange}`,
    { data: { peer, phase: "dial", address: `${address}:${port}` } },
  );
}

function nameOf(peer: Peer): string {
  return faultsOf(peer).name;
}
