/**
 * A TCP server of the tests that speaks whatever bytes a test wants, and remembers what it was asked.
 * Not a stand-in for a remote: it lies about HTTP.
 */

/** A running raw server. */
export interface RawServer {
  readonly port: number;
  /** How many connections came. */
  readonly connections: number;
  /** The text of every request head, with its body when it has a content-length. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** What one connection of a test does. */
export interface RawPeer {
  /** Reads one request; gives its text, or null when the other side closed. */
  request(): Promise<string | null>;
  send(text: string | Uint8Array): Promise<void>;
  /** Waits until the other side closes. */
  drain(): Promise<void>;
  /** Closes with a reset instead of an orderly end. */
  readonly conn: Deno.Conn;
}

/**
 * Starts a server on loopback, or on the listener it is given; the script runs once per connection,
 * which is closed after it.
 */
export function rawServer(
  script: (peer: RawPeer) => Promise<void>,
  listener: Deno.Listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }),
): RawServer {
  const requests: string[] = [];
  const open = new Set<Deno.Conn>();
  const running: Promise<void>[] = [];
  let connections = 0;
  const serve = async (conn: Deno.Conn): Promise<void> => {
    open.add(conn);
    try {
      await script(peerOf(conn, requests));
    } catch {
      // The client closed first: what the test checks is on its side.
    }
    open.delete(conn);
    closeQuietly(conn);
  };
  const accepting = (async (): Promise<void> => {
    try {
      for await (const conn of listener) {
        connections += 1;
        running.push(serve(conn));
      }
    } catch {
      // The listener was closed.
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    requests,
    get connections(): number {
      return connections;
    },
    async close(): Promise<void> {
      listener.close();
      for (const conn of open) closeQuietly(conn);
      await accepting;
      await Promise.all(running);
    },
  };
}

function peerOf(conn: Deno.Conn, requests: string[]): RawPeer {
  let buffered = "";
  const more = async (): Promise<boolean> => {
    const chunk = new Uint8Array(65536);
    const count = await conn.read(chunk);
    if (count === null) return false;
    buffered += new TextDecoder("latin1").decode(chunk.subarray(0, count));
    return true;
  };
  return {
    conn,
    async request(): Promise<string | null> {
      for (;;) {
        const end = buffered.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/.exec(buffered.slice(0, end))?.[1] ?? 0);
        if (end >= 0 && buffered.length >= end + 4 + length) {
          const text = buffered.slice(0, end + 4 + length);
          buffered = buffered.slice(text.length);
          requests.push(text);
          return text;
        }
        if (!await more()) return null;
      }
    },
    async send(text: string | Uint8Array): Promise<void> {
      const bytes = typeof text === "string"
        ? Uint8Array.from(text, (char) => char.charCodeAt(0))
        : text;
      for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
    },
    async drain(): Promise<void> {
      while (await more());
    },
  };
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // Closed already.
  }
}

/** Gives a complete reply with a content-length. */
export function plainReply(body: string, headers = ""): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
}
