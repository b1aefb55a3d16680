/**
 * One HTTP/1.1 reply off a byte stream: head and body together, complete or an error. Redirects,
 * statuses and content types are for the clients to judge; this file only says what was sent.
 */

import type { HttpReply } from "../ports.ts";
import type { ByteReader } from "./byte_reader.ts";
import { readBody } from "./http1_body.ts";
import { readHead } from "./http1_head.ts";
import type { Faults, Phase } from "./wire_faults.ts";

/** What reading a reply needs. */
export interface ReplyContext {
  readonly faults: Faults;
  readonly maxBodyBytes: number;
  /** What a connection that closes before the first byte did, as the rest of a sentence. */
  readonly dropped: string;
  /** Learns how far the reply has come. */
  readonly onPhase: (phase: Phase) => void;
}

/** A reply, and whether the connection may carry another one. */
export interface WireReply {
  readonly reply: HttpReply;
  readonly keepAlive: boolean;
}

/** Reads one reply. Throws X_UNAVAILABLE, X_BAD_ANSWER or ANSWER_TOO_LARGE; lets the duplex's own errors pass. */
export async function readReply(reader: ByteReader, context: ReplyContext): Promise<WireReply> {
  const head = await readHead(reader, context.faults, context.dropped);
  context.onPhase("body");
  const body = await readBody(reader, head, context);
  return {
    reply: { status: head.status, headers: Object.fromEntries(head.headers), body },
    keepAlive: head.keepAlive,
  };
}
