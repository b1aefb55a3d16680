/**
 * Writes HTTP/1.1 requests (RFC 9112 §3): origin-form, a Host with its port, a Content-Length, and
 * nothing that invites a compressed or chunked surprise. A request that cannot be written safely is
 * a bug of the caller: INTERNAL, without the header's value.
 */

import { AgentError } from "../errors.ts";
import type { HttpRequest } from "../ports.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;
const ORIGIN_FORM = /^\/[\x21\x22\x24-\x7e]*$/;
/** Names that frame the message: the client alone writes them. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "connection",
  "transfer-encoding",
  "accept-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
]);

/** What the connection adds to a request: the Host header, and whether more requests follow. */
export interface Framing {
  readonly host: string;
  readonly keepAlive: boolean;
}

/** Takes a request; gives its bytes, head and body in one piece. Throws INTERNAL for one that HTTP cannot carry. */
export function encodeRequest(request: HttpRequest, framing: Framing): Uint8Array {
  if (!ORIGIN_FORM.test(request.target)) {
    throw new AgentError("INTERNAL", "a request's target is not in origin-form");
  }
  const lines = [`${request.method} ${request.target} HTTP/1.1`, `host: ${framing.host}`];
  for (const [name, value] of Object.entries(request.headers)) {
    checkHeader(name, value);
    lines.push(`${name}: ${value}`);
  }
  lines.push("accept-encoding: identity");
  lines.push(`connection: ${framing.keepAlive ? "keep-alive" : "close"}`);
  const body = request.body ?? new Uint8Array();
  // A POST without a body says so; a GET has none to speak of (RFC 9110 §8.6).
  if (body.length > 0 || request.method === "POST" || request.method === "PUT") {
    lines.push(`content-length: ${body.length}`);
  }
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

function checkHeader(name: string, value: string): void {
  if (!TOKEN.test(name) || OWN_NAMES.has(name.toLowerCase())) {
    throw new AgentError("INTERNAL", `a request may not carry a header named "${name}"`);
  }
  if (!VALUE.test(value)) {
    throw new AgentError("INTERNAL", `the header "${name}" has a value that HTTP cannot carry`);
  }
}
