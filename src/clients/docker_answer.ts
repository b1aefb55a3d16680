/**
 * Turns the Docker Engine's replies into values or DOCKER_BAD_ANSWER. An answer of another shape is
 * never taken for an empty one (case 18).
 */

import { AgentError } from "../errors.ts";
import { parseEngineError } from "../model/docker_wire.ts";
import { parseJson } from "../model/json.ts";
import { headOf, plainText } from "../model/plain_text.ts";
import type { HttpReply } from "../ports.ts";

const MAX_MESSAGE = 300;

/** Takes a reply, what it should be, and its parser; gives the value, or throws DOCKER_BAD_ANSWER. */
export function readAnswer<T>(
  reply: HttpReply,
  what: string,
  parse: (body: unknown) => T | null,
): T {
  if (reply.status !== 200) throw badAnswer(reply, what);
  const body = parseJson(reply.body, { code: "DOCKER_BAD_ANSWER", what: `the Engine's ${what}` });
  const value = parse(body);
  if (value !== null) return value;
  throw new AgentError(
    "DOCKER_BAD_ANSWER",
    `the Docker Engine sent no ${what} this agent can read`,
  );
}

/** Takes a reply that is no success, and what was asked for; gives the error. */
export function badAnswer(reply: HttpReply, what: string): AgentError {
  const said = headOf(plainText(engineMessage(reply)), MAX_MESSAGE);
  const message = `the Docker Engine answered ${reply.status} instead of ${what}`;
  return new AgentError("DOCKER_BAD_ANSWER", said === "" ? message : `${message}: ${said}`, {
    data: { status: reply.status },
  });
}

/** Takes a reply; gives the Engine's own words about the failure, or an empty text. */
export function engineMessage(reply: HttpReply): string {
  try {
    const body = parseJson(reply.body, { code: "DOCKER_BAD_ANSWER", what: "an error" });
    return parseEngineError(body) ?? "";
  } catch {
    // Not the Engine's error shape: nothing of it is worth quoting.
    return "";
  }
}
