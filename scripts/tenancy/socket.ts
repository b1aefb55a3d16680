// A loopback listener whose connections can be reset. It is on node:net since Deno's own TCP
// connections offer no way to send a RST, which is what "connection reset by peer" needs.

import net from "node:net";

const MAX_QUEUED_BYTES = 256 * 1024;

/** One accepted connection. */
export interface Connection {
  /** The next bytes; null once the peer has sent its last. Throws `Error` when it was cut. */
  read(): Promise<Uint8Array | null>;
  /** Sends bytes and waits until they left. Throws `Error` when the peer is gone. */
  write(bytes: Uint8Array): Promise<void>;
  /** Closes in good order once everything is sent. */
  end(): Promise<void>;
  /** Sends a RST and drops whatever was not sent. */
  reset(): void;
  /** Fires when the peer hangs up, or half-closes, or the listener stops. */
  readonly hungUp: AbortSignal;
}

/** A listener on 127.0.0.1. */
export interface Listener {
  readonly port: number;
  /** Stops listening, cuts every connection, waits for the handlers to return. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and calls `serve` for each connection, which is closed when `serve` returns.
 * `port` 0 takes a free one. Throws `Error` when the port is taken.
 */
export async function listen(
  port: number,
  serve: (connection: Connection) => Promise<void>,
): Promise<Listener> {
  const sockets = new Set<net.Socket>();
  const running = new Set<Promise<void>>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    const run = serveSocket(socket, serve).finally(() => {
      sockets.delete(socket);
      running.delete(run);
    });
    running.add(run);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no port");
  return {
    port: address.port,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await Promise.all(running);
      await closed;
    },
  };
}

async function serveSocket(
  socket: net.Socket,
  serve: (connection: Connection) => Promise<void>,
): Promise<void> {
  const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  try {
    await serve(connectionOf(socket));
  } catch {
    // The peer left in the middle: there is nobody to tell.
  } finally {
    socket.destroy();
  }
  await gone;
}

function connectionOf(socket: net.Socket): Connection {
  const queue: Uint8Array[] = [];
  const hangUp = new AbortController();
  let queued = 0;
  let state: "open" | "ended" | "cut" = "open";
  let wake: () => void = () => {};
  const become = (next: "ended" | "cut"): void => {
    if (state !== "cut") state = next;
    hangUp.abort();
    wake();
  };
  socket.on("data", (chunk: Uint8Array) => {
    queue.push(chunk);
    queued += chunk.length;
    if (queued > MAX_QUEUED_BYTES) socket.pause();
    wake();
  });
  socket.on("end", () => become("ended"));
  socket.on("error", () => become("cut"));
  socket.on("close", () => become("cut"));
  return {
    hungUp: hangUp.signal,
    async read(): Promise<Uint8Array | null> {
      while (queue.length === 0) {
        if (state === "ended") return null;
        if (state === "cut") throw new Error("the connection was cut");
        await new Promise<void>((resolve) => wake = resolve);
      }
      const chunk = queue.shift() ?? new Uint8Array();
      queued -= chunk.length;
      if (queued <= MAX_QUEUED_BYTES) socket.resume();
      return chunk;
    },
    write: (bytes) =>
      new Promise<void>((resolve, reject) => {
        // "close" has to be heard as well: a destroyed socket may never call back.
        const onClose = (): void => reject(new Error("the peer is gone"));
        if (socket.destroyed) return onClose();
        socket.once("close", onClose);
        socket.write(bytes, (error) => {
          socket.off("close", onClose);
          error ? reject(error) : resolve();
        });
      }),
    end: () =>
      new Promise<void>((resolve) => {
        if (socket.destroyed) return resolve();
        socket.once("close", () => resolve());
        socket.end(() => resolve());
      }),
    reset: () => void socket.resetAndDestroy(),
  };
}
