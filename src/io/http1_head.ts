/**
 * Reads the head of an HTTP/1.1 reply, strictly (RFC 9112 §4-5): what two parsers could read in two
 * ways is a bad answer, for a request or a secret must never be paired with another's reply.
 */

import type { ByteReader, ReadFault } from "./byte_reader.ts";
import type { Faults, Phase } from "./wire_faults.ts";

/** A parsed reply head. Names are lower-case; repeated ones are joined with ", ". */
export interface ReplyHead {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Whether the peer means to answer more requests on this connection. */
  readonly keepAlive: boolean;
  /** HTTP/1.0 replies have no chunks. */
  readonly oldVersion: boolean;
}

const MAX_HEADERS = 100;
const MAX_INTERIM_REPLIES = 5;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\uffff]*)?$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\uffff]*)$/;
const START = "HTTP/1.";
/** The end of a sentence about an answer; what the operator mends is the config's scheme. */
export const SPEAKS_TLS = "says that the port speaks TLS, and it was asked in plain HTTP";
const BROKEN_OFF = "ended in the middle of its head";

/**
 * Reads one final head, skipping a few interim ones (1xx). Throws X_UNAVAILABLE when the peer closes
 * before or inside it (`dropped` says what closing without a byte means here), X_BAD_ANSWER when it
 * is not HTTP/1.1, has more than 100 headers, or is larger than 64 KiB.
 */
export async function readHead(
  reader: ByteReader,
  faults: Faults,
  dropped: string,
): Promise<ReplyHead> {
  for (let interim = 0; interim <= MAX_INTERIM_REPLIES; interim += 1) {
    await expectStart(reader, faults, dropped);
    const bytes = await reader.until(2);
    if (typeof bytes === "string") throw headFault(bytes, faults);
    const head = parseHead(new TextDecoder("latin1").decode(bytes), faults);
    if (head.status >= 200) return head;
    // A switch of protocols was never asked for.
    if (head.status === 101) throw faults.badAnswer("headers", "switches to another protocol");
  }
  throw faults.badAnswer("headers", "has too many interim replies");
}

/** Takes the lines of a trailer section; throws X_BAD_ANSWER unless each is a header. They are dropped. */
export function checkTrailers(text: string, faults: Faults): void {
  if (text !== "") parseHeaders(text.split("\r\n"), faults, "body");
}

/** Looks at the first bytes, so that what is no HTTP is told at once, not at the deadline. */
async function expectStart(reader: ByteReader, faults: Faults, dropped: string): Promise<void> {
  const first = await reader.peek(START.length);
  if (first.length === 0) throw faults.unavailable("headers", dropped);
  // A frame of HTTP/2 begins with its length, whose first byte is 0 (RFC 9113 §4.1).
  if (first[0] === 0) throw faults.badAnswer("headers", "is HTTP/2, which was not agreed on");
  // The record of an alert (RFC 8446 §5.1): the port wants a handshake.
  if (first[0] === 0x15 && first[1] === 3) throw faults.badAnswer("headers", SPEAKS_TLS);
  if (!START.startsWith(new TextDecoder("latin1").decode(first))) {
    throw faults.badAnswer("headers", "is not HTTP");
  }
}

function headFault(fault: ReadFault, faults: Faults): Error {
  if (fault === "end") {
    return faults.unavailable("headers", `closed the connection: its answer ${BROKEN_OFF}`);
  }
  if (fault === "long") return faults.badAnswer("headers", "has a head of more than 64 KiB");
  return faults.badAnswer("headers", "has a line that does not end in CRLF");
}

function parseHead(text: string, faults: Faults): ReplyHead {
  const [first = "", ...lines] = text.split("\r\n");
  const status = STATUS_LINE.exec(first);
  if (status === null) throw faults.badAnswer("headers", "has no valid status line");
  const headers = parseHeaders(lines, faults, "headers");
  const oldVersion = status[1] === "0";
  const connection = (headers.get("connection") ?? "").toLowerCase().split(",");
  return {
    status: Number(status[2]),
    headers,
    oldVersion,
    keepAlive: !oldVersion && !connection.some((token) => token.trim() === "close"),
  };
}

function parseHeaders(
  lines: readonly string[],
  faults: Faults,
  phase: Phase,
): ReadonlyMap<string, string> {
  if (lines.length > MAX_HEADERS) throw faults.badAnswer(phase, "has more than 100 headers");
  const headers = new Map<string, string>();
  for (const line of lines) {
    // A folded line, a space before the colon, a control character: none has one meaning only.
    const parts = HEADER_LINE.exec(line);
    if (parts === null) throw faults.badAnswer(phase, "has a malformed header line");
    const name = (parts[1] ?? "").toLowerCase();
    const value = (parts[2] ?? "").trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
