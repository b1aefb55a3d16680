/**
 * Our byte streams as Node's, and back. Only for TLS over what is not TCP; loads Node's streams when
 * it is asked to, since a converged tick loads none of them.
 */

import type { Duplex as NodeDuplex } from "node:stream";
import { closeQuietly, type Duplex } from "./duplex.ts";

const READ_BYTES = 64 * 1024;

/** Takes a stream over; gives it as Node's. Destroying that one closes ours. */
export async function toNodeDuplex(duplex: Duplex): Promise<NodeDuplex> {
  const { Duplex: Base } = await import("node:stream");
  return new Base({
    allowHalfOpen: true,
    read(): void {
      const buffer = new Uint8Array(READ_BYTES);
      duplex.read(buffer).then(
        (count) => this.push(count === null ? null : buffer.subarray(0, count)),
        (thrown) => this.destroy(thrown),
      );
    },
    write(chunk: Uint8Array, _encoding, done): void {
      writeAll(duplex, chunk).then(() => done(), done);
    },
    destroy(error, done): void {
      closeQuietly(duplex);
      done(error);
    },
  });
}

/** Takes one of Node's streams over; gives it as ours. */
export function fromNodeDuplex(stream: NodeDuplex): Duplex {
  let failure: unknown = null;
  let rest: Uint8Array = new Uint8Array();
  let wake: () => void = () => {};
  stream.on("error", (thrown) => failure = thrown);
  for (const event of ["readable", "end", "error", "close"]) stream.on(event, () => wake());
  return {
    async read(into): Promise<number | null> {
      while (rest.length === 0) {
        const chunk: Uint8Array | null = stream.read();
        if (chunk !== null) rest = chunk;
        else if (stream.readableEnded) return null;
        else if (failure !== null) throw failure;
        else if (stream.destroyed) throw new Error("the stream was closed");
        else await new Promise<void>((resolve) => wake = resolve);
      }
      const count = Math.min(rest.length, into.length);
      into.set(rest.subarray(0, count));
      rest = rest.subarray(count);
      return count;
    },
    write: (bytes) =>
      new Promise((resolve, reject) =>
        stream.write(bytes, (error) => error ? reject(error) : resolve(bytes.length))
      ),
    close: () => void stream.destroy(),
  };
}

async function writeAll(duplex: Duplex, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await duplex.write(bytes.subarray(at));
}
