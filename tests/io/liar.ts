/**
 * A server of the tests that answers each request as a script says, resets included: those only
 * `node:net` can send. It counts what it was asked and how much of its answers it got rid of.
 */

import { createServer, type Socket } from "node:net";

/** A running liar. */
export interface Liar {
  readonly port: number;
  readonly connections: number;
  /** The first line of every complete request. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** What a script may do to the connection that a request came on. */
export interface Wire {
  /** Counts the requests of all connections, from 1. */
  readonly request: number;
  /** False once the client has gone. */
  readonly isOpen: boolean;
  /** Resolves when the kernel has the bytes; at once when the client has gone. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** Waits, or until the client has gone. */
  pause(ms: number): Promise<void>;
  /** RST, after a moment in which what was sent arrives. */
  reset(): Promise<void>;
  /** FIN. */
  end(): void;
}

/** Starts a liar on loopback; the script runs once a request, and the connection stays as it leaves it. */
export async function startLiar(script: (wire: Wire) => Promise<void> | void): Promise<Liar> {
  const requests: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    let text = "";
    socket.on("error", () => {});
    socket.once("close", () => open.delete(socket));
    socket.on("data", (chunk: Uint8Array) => {
      text += new TextDecoder("latin1").decode(chunk);
      const head = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(text.slice(0, head))?.[1] ?? 0);
      if (head < 0 || text.length < head + 4 + length) return;
      requests.push(text.slice(0, text.indexOf("\r\n")));
      text = text.slice(head + 4 + length);
      void script(wireOf(socket, requests.length));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    requests,
    get connections(): number {
      return connections;
    },
    async close(): Promise<void> {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await ended;
    },
  };
}

function wireOf(socket: Socket, request: number): Wire {
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) return resolve();
      const timer = setTimeout(resolve, ms);
      socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  return {
    request,
    get isOpen(): boolean {
      return !socket.destroyed;
    },
    send: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve();
        socket.once("close", resolve);
        const sent = typeof bytes === "string" ? Uint8Array.from(bytes, code) : bytes;
        socket.write(sent, () => {
          socket.off("close", resolve);
          resolve();
        });
      }),
    pause,
    reset: async () => {
      await pause(40);
      socket.resetAndDestroy();
    },
    end: () => socket.end(),
  };
}

function code(char: string): number {
  return char.charCodeAt(0);
}
