// Puts replies on the wire, in good order or, for a fault, in bad.

import type { FaultSpec } from "./faults.ts";
import { concat } from "./http_request.ts";
import type { Reply } from "./reply.ts";
import { sleep, untilAborted } from "./sleep.ts";
import type { Connection } from "./socket.ts";

const JSON_TYPE = "application/json";
const PADDING_CHUNK = 1024 * 1024;
const DEFAULT_HUGE_BYTES = 1024 * 1024 * 1024;
/** Lets what was written reach the peer before a reset throws it away. */
const BEFORE_RESET_MS = 30;

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  302: "Found",
  307: "Temporary Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

interface Head {
  readonly status: number;
  /** Content-Type; null for none; default application/json. */
  readonly type?: string | null;
  readonly length: number;
  readonly keepAlive?: boolean;
  readonly extra?: readonly string[];
}

/** Sends a reply. Throws `Error` when the peer is gone. */
export async function sendReply(
  connection: Connection,
  reply: Reply,
  keepAlive: boolean,
): Promise<void> {
  const body = new TextEncoder().encode(reply.body);
  const head = headBytes({ status: reply.status, length: body.length, keepAlive });
  await connection.write(concat(head, body));
  if (!keepAlive) await connection.end();
}

/**
 * Sends what a fault makes of a reply; `reply` is null for faults that prevent one. Gives the status
 * that went out, null when none did. The connection is spent afterwards.
 */
export async function sendFault(
  connection: Connection,
  fault: FaultSpec,
  reply: Reply | null,
): Promise<number | null> {
  switch (fault.kind) {
    case "never_answer":
      await untilAborted(connection.hungUp);
      return null;
    case "reset":
    case "lost_answer":
      connection.reset();
      return null;
    case "garbage":
      return await sendRaw(connection, 200, JSON_TYPE, new Uint8Array([0, 255, 123, 1, 34, 200]));
    case "not_http":
      await connection.write(new TextEncoder().encode("SSH-2.0-OpenSSH_9.7\r\n\r\n"));
      await connection.end();
      return null;
    case "html": {
      const page = new TextEncoder().encode("<!doctype html><title>Gateway</title><h1>Hello</h1>");
      return await sendRaw(connection, fault.status ?? 200, "text/html; charset=utf-8", page);
    }
    case "redirect": {
      const location = fault.location ?? "http://elsewhere.invalid/agent/v1/checkin";
      return await sendRaw(connection, fault.status ?? 307, null, new Uint8Array(), [
        `Location: ${location}`,
      ]);
    }
    default:
      return reply === null ? null : await sendDistorted(connection, fault, reply);
  }
}

async function sendDistorted(
  connection: Connection,
  fault: FaultSpec,
  reply: Reply,
): Promise<number> {
  const { status } = reply;
  const body = new TextEncoder().encode(reply.body);
  const half = body.subarray(0, body.length >> 1);
  switch (fault.kind) {
    case "slow":
      await sleep(fault.ms ?? 2_000, connection.hungUp);
      break;
    case "drip":
      return await drip(connection, status, body, fault.ms ?? 50);
    case "cut_body":
    case "reset_body":
      await connection.write(concat(headBytes({ status, length: body.length }), half));
      await sleep(BEFORE_RESET_MS, connection.hungUp);
      if (fault.kind === "reset_body") connection.reset();
      else await connection.end();
      return status;
    case "short_length":
      await connection.write(concat(headBytes({ status, length: half.length }), body));
      await connection.end();
      return status;
    case "wrong_content_type":
      return await sendRaw(connection, status, "text/plain", body);
    case "gzip_body":
      return await sendRaw(connection, status, JSON_TYPE, await gzip(body), [
        "Content-Encoding: gzip",
      ]);
    case "huge_body":
      return await sendHuge(connection, reply, fault.bytes ?? DEFAULT_HUGE_BYTES);
  }
  return await sendRaw(connection, status, JSON_TYPE, body);
}

async function sendRaw(
  connection: Connection,
  status: number,
  type: string | null,
  body: Uint8Array,
  extra: readonly string[] = [],
): Promise<number> {
  await connection.write(concat(headBytes({ status, type, length: body.length, extra }), body));
  await connection.end();
  return status;
}

async function drip(
  connection: Connection,
  status: number,
  body: Uint8Array,
  ms: number,
): Promise<number> {
  const whole = concat(headBytes({ status, length: body.length }), body);
  for (let at = 0; at < whole.length && !connection.hungUp.aborted; at++) {
    await connection.write(whole.subarray(at, at + 1));
    await sleep(ms, connection.hungUp);
  }
  await connection.end();
  return status;
}

/** Valid JSON throughout: only its size is wrong, so nothing but a limit can refuse it. */
async function sendHuge(connection: Connection, reply: Reply, bytes: number): Promise<number> {
  const open = reply.body.slice(0, -1);
  const start = new TextEncoder().encode(`${open}${open === "{" ? "" : ","}"padding":"`);
  const end = new TextEncoder().encode('"}');
  const length = start.length + bytes + end.length;
  await connection.write(concat(headBytes({ status: reply.status, length }), start));
  const chunk = new Uint8Array(PADDING_CHUNK).fill(120);
  for (let left = bytes; left > 0; left -= chunk.length) {
    await connection.write(chunk.subarray(0, Math.min(left, chunk.length)));
  }
  await connection.write(end);
  await connection.end();
  return reply.status;
}

function headBytes(head: Head): Uint8Array {
  const type = head.type === undefined ? JSON_TYPE : head.type;
  const lines = [
    `HTTP/1.1 ${head.status} ${REASONS[head.status] ?? "Status"}`,
    `Date: ${new Date().toUTCString()}`,
    ...(type === null ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${head.length}`,
    ...(head.extra ?? []),
    `Connection: ${head.keepAlive === true ? "keep-alive" : "close"}`,
  ];
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
