// Reads HTTP/1.1 requests off a connection, strictly: what a lenient server would forgive is a
// `BadRequest` here, so that an agent's mistake shows in development and not in the field.

import type { Connection } from "./socket.ts";

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** One request as it came. */
export interface HttpRequest {
  readonly method: string;
  /** The request target, untouched. */
  readonly target: string;
  /** Lower-case name → value; a name that came twice is in `repeated`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly repeated: readonly string[];
  readonly body: Uint8Array;
  /** The client asked by name for the connection to stay open. */
  readonly keepAlive: boolean;
}

/** Bytes that are no request this server takes. The message quotes nothing of a header's value. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

/** Reads one request after the other from a connection. */
export class RequestReader {
  #rest: Uint8Array = new Uint8Array();
  readonly #connection: Connection;

  /** Takes the connection; nothing is read yet. */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The next request, or null when the client closed before sending one.
   * Throws `BadRequest` for what is no well-formed request, `Error` when the connection is cut.
   */
  async next(): Promise<HttpRequest | null> {
    const head = await this.#readHead();
    if (head === null) return null;
    const [requestLine = "", ...lines] = head.split("\r\n");
    const parts = requestLine.split(" ");
    const [method = "", target = "", version = ""] = parts;
    if (parts.length !== 3 || !TOKEN.test(method) || target === "") {
      throw new BadRequest("the request line is not `METHOD target HTTP/1.1`");
    }
    if (version !== "HTTP/1.1") throw new BadRequest("the version is not HTTP/1.1");
    const { headers, repeated } = parseHeaders(lines);
    const body = await this.#readBody(bodyLength(headers, repeated));
    const keepAlive = (headers["connection"] ?? "").toLowerCase().split(/\s*,\s*/)
      .includes("keep-alive");
    return { method, target, headers, repeated, body, keepAlive };
  }

  async #readHead(): Promise<string | null> {
    let end = -1;
    while ((end = indexOfHeadEnd(this.#rest)) < 0) {
      if (this.#rest.length > MAX_HEAD_BYTES) throw new BadRequest("the head is over 64 KiB");
      const chunk = await this.#connection.read();
      if (chunk === null) {
        if (this.#rest.length === 0) return null;
        throw new BadRequest("the request ends within its head");
      }
      this.#rest = concat(this.#rest, chunk);
    }
    const head = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + 4);
    if (head.some((byte) => byte > 126)) throw new BadRequest("the head holds non-ASCII bytes");
    return new TextDecoder().decode(head);
  }

  async #readBody(length: number): Promise<Uint8Array> {
    const chunks = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const chunk = await this.#connection.read();
      if (chunk === null) throw new BadRequest("the body is shorter than Content-Length");
      chunks.push(chunk);
      have += chunk.length;
    }
    const all = concat(...chunks);
    this.#rest = all.slice(length);
    return all.slice(0, length);
  }
}

function parseHeaders(
  lines: string[],
): { headers: Record<string, string>; repeated: string[] } {
  const headers: Record<string, string> = {};
  const repeated: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || !TOKEN.test(name)) throw new BadRequest("a header line is not `Name: value`");
    if (Object.hasOwn(headers, name)) repeated.push(name);
    headers[name] = line.slice(colon + 1).trim();
  }
  return { headers, repeated };
}

function bodyLength(headers: Record<string, string>, repeated: string[]): number {
  if (headers["transfer-encoding"] !== undefined) {
    throw new BadRequest("Transfer-Encoding is not taken: send Content-Length");
  }
  const text = headers["content-length"];
  if (text === undefined) return 0;
  if (repeated.includes("content-length") || !/^\d{1,15}$/.test(text)) {
    throw new BadRequest("Content-Length is not one whole number");
  }
  const length = Number(text);
  if (length > MAX_BODY_BYTES) throw new BadRequest("the body is over 4 MiB");
  return length;
}

function indexOfHeadEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return -1;
}

/** One array out of several. */
export function concat(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
