/** A TCP server that resets every connection. */

import { createServer } from "node:net";

/** A running one. */
export interface Resetter {
  /** Stops listening. */
  close(): Promise<void>;
}

/**
 * Listens and answers the first bytes of each client with a reset (RST). Deno's own connections
 * can only be closed in order (FIN), hence node:net.
 *
 * @param hostname address to listen on
 * @param port a port that is free
 * @returns it, listening
 * @throws Error when the port is taken
 */
export async function startResetter(hostname: string, port: number): Promise<Resetter> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, resolve);
  });
  return {
    close: (): Promise<void> => new Promise((resolve) => server.close(() => resolve())),
  };
}
