/**
 * What an OpenBao reply means before its body is looked at (facts: openbao §1.8; cases 53, 54, 70).
 * Order: status, content type, JSON, shape. Texts of the server are matched and never repeated: a
 * reply may hold a token or a secret.
 */

import { AgentError, type ErrorData } from "../errors.ts";
import { readErrors } from "../model/bao_wire.ts";
import { parseJson } from "../model/json.ts";
import type { HttpReply } from "../ports.ts";
import { otherThanJson, redirectHost, shapeOf } from "./reply_type.ts";

/** Takes a reply and the call's name ("the login"); gives its JSON. Anything else: BAO_BAD_ANSWER. */
export function jsonOf(reply: HttpReply, what: string): unknown {
  const other = otherThanJson(reply);
  if (other !== null) throw badAnswer(reply, what, other);
  return parseJson(reply.body, {
    code: "BAO_BAD_ANSWER",
    what: `OpenBao's answer to ${what}`,
    data: shapeOf(reply),
  });
}

/** Takes a reply, the call's name and what is wrong; gives BAO_BAD_ANSWER with sizes and no content. */
export function badAnswer(reply: HttpReply, what: string, wrong: string): AgentError {
  return new AgentError("BAO_BAD_ANSWER", `the answer to ${what} is ${wrong}`, {
    data: shapeOf(reply),
  });
}

/** Takes a reply; gives the texts of OpenBao's errors, or null when something else answered. */
export function errorTexts(reply: HttpReply): readonly string[] | null {
  const json = tryJson(reply);
  return json === undefined ? null : readErrors(json);
}

/** Takes a reply; gives its JSON, or undefined when it has none. */
export function tryJson(reply: HttpReply): unknown {
  if (otherThanJson(reply) !== null) return undefined;
  try {
    return parseJson(reply.body, { code: "BAO_BAD_ANSWER", what: "OpenBao's answer" });
  } catch {
    return undefined;
  }
}

/**
 * Takes a reply that no rule of its own call explains; gives the failure that its status names:
 * BAO_REDIRECTED, BAO_RATE_LIMITED (`data.retry_after_s`), BAO_SEALED, BAO_UNAVAILABLE,
 * BAO_BAD_ANSWER, BAO_REFUSED.
 */
export function failureOf(reply: HttpReply, what: string): AgentError {
  const { status } = reply;
  const data = statusOf(reply);
  if (status >= 300 && status < 400) return redirected(reply, what);
  if (status === 429) {
    return new AgentError("BAO_RATE_LIMITED", `OpenBao's rate limit refused ${what}`, {
      data: { ...data, retry_after_s: retryAfterS(reply) },
    });
  }
  const texts = errorTexts(reply);
  if (status === 503 && texts !== null && texts.some((text) => /\bsealed\b/i.test(text))) {
    return new AgentError("BAO_SEALED", `OpenBao is sealed and cannot answer ${what}`, { data });
  }
  // 412 is a standby that lags behind; 472 and 473 are states of Vault's (facts: openbao §1.8, §1.10).
  if (status >= 500 || [408, 412, 472, 473].includes(status)) {
    const message = `OpenBao cannot answer ${what} now (HTTP ${status})`;
    return new AgentError("BAO_UNAVAILABLE", message, { data });
  }
  if (status < 400 || texts === null) return badAnswer(reply, what, `HTTP ${status}, unexpected`);
  return new AgentError("BAO_REFUSED", `OpenBao refused ${what} (HTTP ${status})`, { data });
}

/** Takes a reply; gives the whole seconds of its Retry-After, or null (facts: openbao §0.12: may be 0). */
export function retryAfterS(reply: HttpReply): number | null {
  const text = (reply.headers["retry-after"] ?? "").trim();
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** Takes a reply; says whether OpenBao itself answered 403. A proxy's page at 403 proves nothing. */
export function isForbidden(reply: HttpReply): boolean {
  return reply.status === 403 && errorTexts(reply) !== null;
}

/** A redirect would carry the token to another host (case 54); only that host's name is told. */
function redirected(reply: HttpReply, what: string): AgentError {
  const message = `${what} was answered with a redirect to ${
    redirectHost(reply)
  }, which is not followed`;
  return new AgentError("BAO_REDIRECTED", message, { data: statusOf(reply) });
}

function statusOf(reply: HttpReply): ErrorData {
  return { status: reply.status };
}
