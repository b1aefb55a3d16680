/**
 * Plain connections: TCP and the Docker Engine's unix socket, with the runtime's errors told as the
 * peer's. `Deno.connect` is used rather than `fetch`: it costs 12 ms less at a tick's start, asks no
 * resolver, and sends nothing twice (facts: deno §3, docker §0 and §1).
 */

import { AgentError } from "../errors.ts";
import type { HostPort } from "../model/config.ts";
import type { Duplex } from "./duplex.ts";
import type { Faults } from "./wire_faults.ts";

/** What connecting needs beside the address. */
export interface ConnectContext {
  readonly faults: Faults;
  readonly signal: AbortSignal;
  /** What the address is, to be put before it in a sentence: "the proxy at". */
  readonly role: string;
}

/** Connects to an address. Throws X_UNAVAILABLE (phase `dial`, naming the address) or PERMISSION_MISSING. */
export async function connectTcp(
  address: HostPort,
  context: ConnectContext,
): Promise<Deno.TcpConn> {
  const shown = `${address.host}:${address.port}`;
  try {
    const conn = await Deno.connect({
      hostname: address.host,
      port: address.port,
      signal: context.signal,
    });
    // The last flight of a TLS handshake and the request behind it must not wait for each other.
    conn.setNoDelay(true);
    return conn;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) throw permissionMissing(shown);
    const did = thrown instanceof Deno.errors.ConnectionRefused
      ? "refuses connections"
      : "cannot be reached";
    throw context.faults.unavailable("dial", `cannot be dialled: ${context.role} ${shown} ${did}`, {
      cause: thrown,
      address: shown,
    });
  }
}

/** Connects to a unix socket. Throws DOCKER_UNAVAILABLE, DOCKER_PERMISSION or PERMISSION_MISSING, each naming the path. */
export async function connectSocket(path: string, faults: Faults): Promise<Duplex> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) throw permissionMissing(`unix:${path}`);
    if (thrown instanceof Deno.errors.PermissionDenied) {
      throw new AgentError("DOCKER_PERMISSION", `this user may not open the socket "${path}"`, {
        cause: thrown,
        data: { peer: "docker", phase: "dial", address: path },
      });
    }
    const did = thrown instanceof Deno.errors.NotFound
      ? `there is no socket "${path}"`
      : thrown instanceof Deno.errors.ConnectionRefused
      ? `nobody listens on the socket "${path}"`
      : `the socket "${path}" cannot be opened`;
    throw faults.unavailable("dial", `cannot be reached: ${did}`, { cause: thrown, address: path });
  }
}

/** Gives PERMISSION_MISSING for an address, `host:port` or `unix:/path`, that the process may not dial. */
export function permissionMissing(address: string): AgentError {
  return new AgentError("PERMISSION_MISSING", `the agent was not started with net ${address}`, {
    data: { address, phase: "dial" },
  });
}
