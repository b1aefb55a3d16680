/** A forwarder of the tests that keeps what clients send, so that a test can look for a token in it. */

/** A running sniffer. */
export interface Sniffer {
  readonly port: number;
  /** How many connections came. */
  readonly connections: number;
  /** The first MiB that clients sent, one character a byte. */
  readonly seen: string;
  close(): Promise<void>;
}

const KEPT_BYTES = 1 << 20;

/** Listens on the address (a free port of loopback unless told) and forwards to the port of loopback. */
export function sniff(targetPort: number, at: Deno.ListenOptions = { port: 0 }): Sniffer {
  const listener = Deno.listen({ hostname: "127.0.0.1", ...at });
  const open = new Set<Deno.Conn>();
  const running: Promise<unknown>[] = [];
  let seen = "";
  let connections = 0;
  const keep = (chunk: Uint8Array): void => {
    if (seen.length < KEPT_BYTES) seen += new TextDecoder("latin1").decode(chunk);
  };
  const forward = async (client: Deno.Conn): Promise<void> => {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: targetPort });
    open.add(client).add(server);
    await Promise.all([copy(client, server, keep), copy(server, client, () => {})]);
    for (const conn of [client, server]) {
      open.delete(conn);
      closeQuietly(conn);
    }
  };
  const accepting = (async (): Promise<void> => {
    try {
      for await (const client of listener) {
        connections += 1;
        running.push(forward(client).catch(() => closeQuietly(client)));
      }
    } catch {
      // The listener was closed.
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    get connections(): number {
      return connections;
    },
    get seen(): string {
      return seen;
    },
    async close(): Promise<void> {
      listener.close();
      for (const conn of open) closeQuietly(conn);
      await accepting;
      await Promise.all(running);
    },
  };
}

/** Copies until the end or a fault of either side; a fault closes both, as a forwarder does. */
async function copy(
  from: Deno.Conn,
  to: Deno.Conn,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(65536);
  try {
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) break;
      const chunk = buffer.subarray(0, count);
      onChunk(chunk);
      for (let at = 0; at < chunk.length;) at += await to.write(chunk.subarray(at));
    }
    await to.closeWrite();
  } catch {
    closeQuietly(from);
    closeQuietly(to);
  }
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // Closed already.
  }
}
