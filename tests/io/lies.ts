/**
 * The lies of the lying servers, by their numbers: what each sends, how the client must call it, and
 * how much it may have cost until then. Told by liar.ts, judged by lying_servers_test.ts.
 */

import type { Code } from "../../src/errors.ts";
import type { Wire } from "./liar.ts";
import { plainReply } from "./raw_server.ts";

/** What the kernel and the client's own buffer hold beyond what was asked for. */
export const SLACK_BYTES = 128 * 1024;
const GIB = 2 ** 30;
/** The one right content type, as a line of a head. */
export const JSON_TYPE = "content-type: application/json\r\n";
/** A check-in's right answer. */
export const RIGHT = JSON.stringify({
  env_id: "env-a",
  desired: { state: "absent" },
  server_time: "2026-11-30T00:00:00Z",
});
const CHUNKED = `HTTP/1.1 200 OK\r\n${JSON_TYPE}transfer-encoding: chunked\r\n\r\n`;

/** Where the redirect leads; the test puts a port that it watches here. */
export const ELSEWHERE = { port: 0 };

/** One lie. */
export interface Lie {
  readonly name: string;
  readonly tell: (wire: Wire) => Promise<void> | void;
  readonly code: Code;
  /** How far the exchange came; null where the content is at fault, not the wire. */
  readonly phase: "headers" | "body" | null;
  readonly says: string;
  /** What the client may read; SLACK_BYTES unless told. */
  readonly maxBytes?: number;
  readonly deadlineMs?: number;
  readonly withinMs?: number;
}

/** A complete reply of one piece. */
function replies(body: string, headers = JSON_TYPE): Lie["tell"] {
  return (wire) => wire.send(plainReply(body, headers));
}

/** A declared length, a part of it, and what then happens. */
function claims(length: number, body: string, then: (wire: Wire) => unknown): Lie["tell"] {
  return async (wire) => {
    await wire.send(`HTTP/1.1 200 OK\r\n${JSON_TYPE}content-length: ${length}\r\n\r\n${body}`);
    await then(wire);
  };
}

/** The same piece again and again, at most so many bytes, until the client has gone. */
async function flood(wire: Wire, piece: string, sizeBytes = GIB): Promise<void> {
  const bytes = new TextEncoder().encode(piece);
  for (let sent = 0; sent < sizeBytes && wire.isOpen; sent += bytes.length) await wire.send(bytes);
}

/** 64 MiB of zeros in 64 KiB of gzip. */
async function bomb(): Promise<Uint8Array> {
  const zeros = new Blob([new Uint8Array(64 << 20)]).stream();
  const packed = zeros.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** The lies that are told in plain HTTP to a check-in, by their numbers. */
export const LIES: readonly Lie[] = [
  {
    name: "1 HTML for JSON",
    tell: replies("<!DOCTYPE html><title>Sign in</title>", "content-type: text/html\r\n"),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "is a web page and no JSON",
  },
  {
    name: "2 a body of 1 GiB",
    tell: async (wire) => {
      await wire.send(CHUNKED);
      await flood(wire, `10000\r\n${" ".repeat(0x10000)}\r\n`);
    },
    code: "ANSWER_TOO_LARGE",
    phase: "body",
    says: "larger than 1048576 bytes",
    maxBytes: (1 << 20) + SLACK_BYTES,
  },
  {
    name: "3 a gzip bomb",
    tell: async (wire) => {
      const body = await bomb();
      const length = `content-length: ${body.length}\r\n`;
      await wire.send(`HTTP/1.1 200 OK\r\n${JSON_TYPE}content-encoding: gzip\r\n${length}\r\n`);
      await wire.send(body);
    },
    code: "TENANCY_BAD_ANSWER",
    phase: "headers",
    says: "is compressed, which was not asked for",
  },
  {
    name: "4 endless headers",
    tell: async (wire) => {
      await wire.send("HTTP/1.1 200 OK\r\n");
      await flood(wire, "x-filler: 0123456789\r\n".repeat(1000));
    },
    code: "TENANCY_BAD_ANSWER",
    phase: "headers",
    says: "has a head of more than 64 KiB",
  },
  {
    name: "5 a drip of a byte a second",
    tell: claims(100, "", async (wire) => {
      while (wire.isOpen) {
        await wire.send("{");
        await wire.pause(1_000);
      }
    }),
    code: "TENANCY_TIMEOUT",
    phase: "body",
    says: "did not answer within 1200 ms",
    deadlineMs: 1_200,
    // A deadline that began anew with each byte would pass after 100 s.
    withinMs: 10_000,
  },
  {
    name: "6 a reset before the headers",
    tell: (wire) => wire.reset(),
    code: "TENANCY_UNAVAILABLE",
    phase: "headers",
    says: "closed the connection before it answered",
  },
  {
    name: "7 a reset after the headers",
    tell: claims(100, "", (wire) => wire.reset()),
    code: "TENANCY_UNAVAILABLE",
    phase: "body",
    says: "broke off between head and body",
  },
  {
    name: "8 a reset in the body",
    tell: claims(100, '{"env', (wire) => wire.reset()),
    code: "TENANCY_UNAVAILABLE",
    phase: "body",
    says: "broke off in the middle of its answer",
  },
  {
    name: "9 a content-length that is short",
    tell: claims(10, RIGHT, () => {}),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "goes on behind its own end",
  },
  {
    name: "10 a content-length that is long",
    tell: claims(RIGHT.length + 1, RIGHT, (wire) => wire.end()),
    code: "TENANCY_UNAVAILABLE",
    phase: "body",
    says: "closed the connection in the middle of its answer",
  },
  {
    name: "11 two replies",
    tell: (wire) => wire.send(plainReply(RIGHT, JSON_TYPE).repeat(2)),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "is followed by another that nobody asked for",
  },
  {
    name: "12 a storm of 1xx",
    tell: (wire) => flood(wire, "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(200)),
    code: "TENANCY_BAD_ANSWER",
    phase: "headers",
    says: "has too many interim replies",
  },
  {
    name: "13 a redirect to elsewhere",
    tell: (wire) =>
      wire.send(
        "HTTP/1.1 307 Temporary Redirect\r\ncontent-length: 0\r\n" +
          `location: http://127.0.0.1:${ELSEWHERE.port}/agent/v1/checkin?state=abc\r\n\r\n`,
      ),
    code: "TENANCY_REDIRECTED",
    phase: null,
    says: "was answered with a redirect to 127.0.0.1, which is not followed",
  },
  {
    name: "14 a wrong content type",
    tell: replies(RIGHT, "content-type: application/octet-stream\r\n"),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "is no JSON by its content type",
  },
  {
    name: "15 a wrong charset",
    tell: replies(
      `{"site":"K\xf6ln",${RIGHT.slice(1)}`,
      JSON_TYPE.replace("n\r", "n; charset=x\r"),
    ),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "is in another charset than UTF-8",
  },
  {
    name: "16 deep JSON",
    tell: replies("[".repeat(500_000)),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "nests deeper than 64 levels",
    maxBytes: 500_000 + SLACK_BYTES,
  },
  {
    name: "17 huge numbers",
    tell: replies(
      `{"interval_s":1e999,"desired":{"state":"present","sha":"${"a".repeat(64)}","serial":` +
        `${"9".repeat(400)}},"env_id":"env-a","server_time":"2026-11-30T00:00:00Z"}`,
    ),
    code: "TENANCY_PROTOCOL",
    phase: null,
    says: "missing or mistyped fields: desired.serial, interval_s",
  },
  {
    name: "18 duplicate keys",
    tell: replies(RIGHT.replace("{", '{"env_id":"env-b",')),
    code: "TENANCY_BAD_ANSWER",
    phase: "body",
    says: "names a key twice",
  },
  {
    name: "21 HTTP/2's goaway",
    // SETTINGS, then GOAWAY: last stream 0, ENHANCE_YOUR_CALM (RFC 9113 §6.5, §6.8).
    tell: (wire) =>
      wire.send(
        "\0\0\0\x04\0\0\0\0\0" + "\0\0\x08\x07\0\0\0\0\0" + "\0\0\0\0" + "\0\0\0\x0b",
      ),
    code: "TENANCY_BAD_ANSWER",
    phase: "headers",
    says: "is HTTP/2, which was not agreed on",
  },
];
