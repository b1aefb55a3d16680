/**
 * Reads the body of an HTTP/1.1 reply (RFC 9112 §6-7) and believes it only when it is complete: a
 * body that ends with the connection is refused, because a cut cannot be told from an end, and one
 * framed twice is refused, because two parsers would cut it in two places.
 */

import type { ByteReader } from "./byte_reader.ts";
import { checkTrailers, type ReplyHead, SPEAKS_TLS } from "./http1_head.ts";
import type { Faults } from "./wire_faults.ts";

const MAX_CHUNK_LINE_BYTES = 1024;
const CHUNK_LINE = /^([0-9a-fA-F]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\uffff]*)?$/;
const LENGTH = /^[0-9]{1,15}$/;
const CUT = "closed the connection in the middle of its answer";

/** What reading a body needs beside its head. */
export interface BodyContext {
  readonly faults: Faults;
  /** Limit for the body; one byte more is ANSWER_TOO_LARGE, and nothing behind it is read. */
  readonly maxBodyBytes: number;
}

/** Reads the whole body. Throws X_BAD_ANSWER, X_UNAVAILABLE (cut short) or ANSWER_TOO_LARGE. */
export function readBody(
  reader: ByteReader,
  head: ReplyHead,
  context: BodyContext,
): Promise<Uint8Array> {
  const { faults } = context;
  if (head.status === 204 || head.status === 304) return Promise.resolve(new Uint8Array());
  const coding = head.headers.get("content-encoding");
  if (coding !== undefined && coding !== "" && coding.toLowerCase() !== "identity") {
    throw faults.badAnswer("headers", "is compressed, which was not asked for");
  }
  const length = head.headers.get("content-length");
  const transfer = head.headers.get("transfer-encoding");
  if (length !== undefined && transfer !== undefined) {
    throw faults.badAnswer("headers", "tells its length in two ways");
  }
  if (length !== undefined) return readLength(reader, length, context);
  if (transfer === undefined) {
    // What Go's servers answer a plain request at a port of TLS with; a proxy's 400 has headers.
    const isOfTls = head.oldVersion && head.status === 400 && head.headers.size === 0;
    throw faults.badAnswer("headers", isOfTls ? SPEAKS_TLS : "does not tell its length");
  }
  if (transfer.toLowerCase() !== "chunked" || head.oldVersion) {
    throw faults.badAnswer("headers", "has an unknown transfer-encoding");
  }
  return readChunks(reader, context);
}

async function readLength(
  reader: ByteReader,
  length: string,
  { faults, maxBodyBytes }: BodyContext,
): Promise<Uint8Array> {
  // A repeated header was joined with a comma: refused, even when both say the same.
  if (!LENGTH.test(length)) throw faults.badAnswer("headers", "has no valid content-length");
  if (Number(length) > maxBodyBytes) throw faults.tooLarge(maxBodyBytes);
  const body = new Uint8Array(Number(length));
  if (!await reader.exactly(body)) throw faults.unavailable("body", CUT);
  return body;
}

async function readChunks(reader: ByteReader, context: BodyContext): Promise<Uint8Array> {
  const { faults, maxBodyBytes } = context;
  let body = new Uint8Array(Math.min(4096, maxBodyBytes));
  let used = 0;
  for (;;) {
    const size = await readChunkSize(reader, faults);
    if (size === 0) break;
    if (used + size > maxBodyBytes) throw faults.tooLarge(maxBodyBytes);
    body = grown(body, used + size, maxBodyBytes);
    if (!await reader.exactly(body.subarray(used, used + size))) {
      throw faults.unavailable("body", CUT);
    }
    used += size;
    await readLine(reader, faults, 2);
  }
  await dropTrailers(reader, faults);
  return body.subarray(0, used);
}

function grown(
  body: Uint8Array<ArrayBuffer>,
  needed: number,
  max: number,
): Uint8Array<ArrayBuffer> {
  if (needed <= body.length) return body;
  const larger = new Uint8Array(Math.min(max, Math.max(needed, body.length * 2)));
  larger.set(body);
  return larger;
}

async function readChunkSize(reader: ByteReader, faults: Faults): Promise<number> {
  const parts = CHUNK_LINE.exec(await readLine(reader, faults, MAX_CHUNK_LINE_BYTES));
  if (parts === null) throw faults.badAnswer("body", "has a malformed chunk");
  return Number.parseInt(parts[1] ?? "", 16);
}

async function readLine(reader: ByteReader, faults: Faults, maxBytes: number): Promise<string> {
  const line = await reader.until(1, maxBytes);
  if (line === "end") throw faults.unavailable("body", CUT);
  if (typeof line === "string") throw faults.badAnswer("body", "has a malformed chunk");
  return new TextDecoder("latin1").decode(line);
}

async function dropTrailers(reader: ByteReader, faults: Faults): Promise<void> {
  const bytes = await reader.until(2);
  if (bytes === "end") throw faults.unavailable("body", CUT);
  if (typeof bytes === "string") throw faults.badAnswer("body", "has malformed trailers");
  checkTrailers(new TextDecoder("latin1").decode(bytes), faults);
}
