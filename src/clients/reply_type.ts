/**
 * What a reply says of itself, for both remotes (cases 54, 70 and 73): whether its content type is
 * that of JSON in UTF-8, and where a redirect leads. Only its head is looked at; of a location only
 * the host is ever told.
 */

import type { ErrorData } from "../errors.ts";
import type { HttpReply } from "../ports.ts";

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";,\s]*)/i;
/** RFC 8259 §8.1: JSON between systems is UTF-8, of which US-ASCII is a part. */
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;
const MAX_SHOWN_TYPE = 80;

/** Takes a reply; gives what it is instead of JSON, as the end of a sentence, or null when it is JSON. */
export function otherThanJson(reply: HttpReply): string | null {
  const type = contentType(reply);
  if (PAGE_TYPE.test(type)) return "a web page and no JSON";
  if (!JSON_TYPE.test(type)) return "no JSON by its content type";
  const charset = CHARSET.exec(type)?.[1];
  return charset === undefined || UTF_8.test(charset) ? null : "in another charset than UTF-8";
}

/** Takes a reply; gives its status, type and size, which is all that may be told of one (case 70). */
export function shapeOf(reply: HttpReply): ErrorData {
  return {
    phase: "body",
    status: reply.status,
    content_type: contentType(reply).replace(/[^\x20-\x7e]/g, "?").slice(0, MAX_SHOWN_TYPE),
    bytes: reply.body.length,
  };
}

/** Takes a redirect; gives the host it leads to, for a sentence; never its path or query. */
export function redirectHost(reply: HttpReply): string {
  try {
    const { hostname } = new URL(reply.headers["location"] ?? "", "https://same.invalid");
    return hostname === "same.invalid" ? "another path" : hostname.slice(0, 253);
  } catch {
    return "an unreadable address";
  }
}

function contentType(reply: HttpReply): string {
  return reply.headers["content-type"] ?? "";
}
