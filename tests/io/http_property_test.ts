/** Generated replies are read as they were meant; arbitrary bytes end in an error, never in a hang or a crash. */

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { AgentError } from "../../src/errors.ts";
import { ByteReader } from "../../src/io/byte_reader.ts";
import type { Duplex } from "../../src/io/duplex.ts";
import { readReply, type WireReply } from "../../src/io/http1.ts";
import { faultsOf } from "../../src/io/wire_faults.ts";

const LIMIT = 5000;

/** A stream that gives the bytes in the given pieces, then ends. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Duplex {
  let at = 0;
  let turn = 0;
  return {
    read(into): Promise<number | null> {
      if (at >= bytes.length) return Promise.resolve(null);
      const wanted = cuts[turn % cuts.length] ?? bytes.length;
      turn += 1;
      const part = bytes.subarray(at, at + Math.min(wanted, into.length));
      into.set(part);
      at += part.length;
      return Promise.resolve(part.length);
    },
    write: (part) => Promise.resolve(part.length),
    close: () => {},
  };
}

function readFrom(bytes: Uint8Array, cuts: readonly number[]): Promise<WireReply> {
  return readReply(new ByteReader(pieces(bytes, cuts)), {
    faults: faultsOf("tenancy"),
    maxBodyBytes: LIMIT,
    dropped: "closed the connection before it answered",
    onPhase: () => {},
  });
}

/** Reads until the bytes are used up; gives the first error. */
async function readAll(bytes: Uint8Array, cuts: readonly number[]): Promise<unknown> {
  const reader = new ByteReader(pieces(bytes, cuts));
  for (;;) {
    try {
      await readReply(reader, {
        faults: faultsOf("bao"),
        maxBodyBytes: LIMIT,
        dropped: "closed",
        onPhase: () => {},
      });
    } catch (thrown) {
      return thrown;
    }
  }
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0) & 0xff);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Writes a body in chunks of the given sizes. */
function chunked(body: Uint8Array, sizes: readonly number[], extension: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const part = body.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
    parts.push(latin1(`${part.length.toString(16)}${extension}\r\n`), part, latin1("\r\n"));
    at += part.length;
  }
  return joined([...parts, latin1("0\r\nx-trailer: 1\r\n\r\n")]);
}

const cuts = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 });
const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}$/).map((text) => `x-${text}`);
const value = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/);

Deno.test("any reply, cut anywhere, is read as it was meant", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
      fc.dictionary(name, value, { maxKeys: 10 }),
      fc.uint8Array({ maxLength: LIMIT }),
      fc.option(fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 5 })),
      fc.constantFrom("", ";a=b", " ; x"),
      cuts,
      async (status, headers, body, chunkSizes, extension, reads) => {
        const lines = Object.entries(headers).map(([key, text]) => `${key.toUpperCase()}: ${text}`);
        const framing = chunkSizes === null
          ? `Content-Length: ${body.length}`
          : "Transfer-Encoding: chunked";
        const head = latin1([`HTTP/1.1 ${status} X`, ...lines, framing, "", ""].join("\r\n"));
        const sent = chunkSizes === null ? body : chunked(body, chunkSizes, extension);
        const { reply, keepAlive } = await readFrom(joined([head, sent]), reads);
        assertEquals([reply.status, keepAlive], [status, true]);
        assertEquals(reply.body, body);
        for (const [key, text] of Object.entries(headers)) assertEquals(reply.headers[key], text);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("a reply that is cut short anywhere is never a success", async () => {
  const whole = joined([
    latin1("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"),
    chunked(latin1('{"a":1}'), [3], ""),
  ]);
  for (let length = 0; length < whole.length; length += 1) {
    const failure = await readFrom(whole.subarray(0, length), [7]).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert(failure instanceof AgentError, `${length} bytes were taken for a reply`);
    assertEquals(failure.code, "TENANCY_UNAVAILABLE");
  }
});

const noise = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.array(
    fc.constantFrom(
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 100 C\r\n\r\n",
      "HTTP/1.0 204\r\n",
      "content-length: 5\r\n",
      "content-length: 0\r\n",
      "transfer-encoding: chunked\r\n",
      "connection: close\r\n",
      "\r\n",
      "\r",
      "\n",
      "\0",
      "5\r\nhello\r\n",
      "0\r\n\r\n",
      "hello",
      ":",
      " ",
      "\xff",
    ),
    { maxLength: 30 },
  ).map((parts) => latin1(parts.join(""))),
);

Deno.test("arbitrary bytes end in an AgentError that shows none of them", async () => {
  await fc.assert(
    fc.asyncProperty(noise, cuts, async (bytes, reads) => {
      const failure = await readAll(bytes, reads);
      assert(failure instanceof AgentError, Deno.inspect(failure));
      assert(failure.code === "BAO_BAD_ANSWER" || failure.code === "BAO_UNAVAILABLE", failure.code);
      assertEquals(failure.cause, undefined);
      assert(!failure.message.includes("hello"));
    }),
    { numRuns: 2000 },
  );
});
