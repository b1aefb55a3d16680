/**
 * Which certificate a server shows, for a better reason after a handshake that was refused: asks as
 * a client of TLS 1.2, which shows it in clear, reads it and goes. Nothing is agreed on, nothing is
 * sent behind the hello; whether the certificate may be trusted is not its business (RFC 5246 §7.4).
 */

import { type Certificate, readCertificate } from "../model/certificate.ts";
import { isAddress } from "../model/ip_range.ts";
import { ByteReader } from "./byte_reader.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const CERTIFICATE = 11;
const MAX_RECORDS = 16;
/** Suites with forward secrecy first, then those of old servers: only the certificate is wanted. */
const SUITES = [
  ...[0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc009, 0xc013, 0xc00a, 0xc014],
  ...[0x009c, 0x009d, 0x002f, 0x0035],
];
const GROUPS = [0x001d, 0x0017, 0x0018, 0x0019];
const SIGNATURES = [0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601];

/** Takes a fresh connection and the URL's host; gives the server's own certificate, or null. Closes the connection. */
export async function shownCertificate(
  duplex: Duplex,
  host: string,
): Promise<Certificate | null> {
  try {
    const hello = clientHello(host);
    for (let at = 0; at < hello.length;) at += await duplex.write(hello.subarray(at));
    const shown = await firstCertificate(new ByteReader(duplex));
    return shown === null ? null : readCertificate(shown);
  } catch {
    return null;
  } finally {
    closeQuietly(duplex);
  }
}

/** Reads records until the message with the certificates is whole. */
async function firstCertificate(reader: ByteReader): Promise<Uint8Array | null> {
  let messages = new Uint8Array();
  for (let record = 0; record < MAX_RECORDS; record += 1) {
    const head = new Uint8Array(5);
    if (!await reader.exactly(head) || head[0] !== HANDSHAKE) return null;
    const fragment = new Uint8Array(number(head, 3, 2));
    if (!await reader.exactly(fragment)) return null;
    messages = Uint8Array.from([...messages, ...fragment]);
    for (let at = 0; at + 4 <= messages.length;) {
      const end = at + 4 + number(messages, at + 1, 3);
      if (end > messages.length) break;
      if (messages[at] === CERTIFICATE) {
        const from = at + 10;
        return messages.subarray(from, from + number(messages, at + 7, 3));
      }
      at = end;
    }
  }
  return null;
}

function clientHello(host: string): Uint8Array {
  const name = new TextEncoder().encode(host);
  const extensions = [
    ...(isAddress(host) ? [] : extension(0, sized(2, [0, ...sized(2, [...name])]))),
    ...extension(10, sized(2, words(GROUPS))),
    ...extension(11, [1, 0]),
    ...extension(13, sized(2, words(SIGNATURES))),
  ];
  const body = [
    ...[3, 3, ...crypto.getRandomValues(new Uint8Array(32))],
    ...[0, ...sized(2, words(SUITES)), 1, 0],
    ...sized(2, extensions),
  ];
  const message = [CLIENT_HELLO, ...sized(3, body)];
  return Uint8Array.from([HANDSHAKE, 3, 1, ...sized(2, message)]);
}

function extension(type: number, content: readonly number[]): readonly number[] {
  return [...words([type]), ...sized(2, content)];
}

function words(values: readonly number[]): number[] {
  return values.flatMap((value) => [value >> 8, value & 255]);
}

/** The content behind its length, which takes so many bytes. */
function sized(lengthBytes: number, content: readonly number[]): number[] {
  const length = Array.from(
    { length: lengthBytes },
    (_, index) => (content.length >> (8 * (lengthBytes - 1 - index))) & 255,
  );
  return [...length, ...content];
}

function number(bytes: Uint8Array, from: number, size: number): number {
  return bytes.subarray(from, from + size).reduce((value, byte) => value * 256 + byte, 0);
}
