/**
 * Many GETs on one connection: all are written at once, the answers are read in order (RFC 9112
 * §9.3.2). Measured for 200 GETs: TCP, one round trip of TLS 1.3, one for all answers. Nothing is
 * ever written again: what stays unanswered is an error for the caller to judge.
 */

import { AgentError, hasCode } from "../errors.ts";
import type { HttpReply, HttpRequest } from "../ports.ts";
import type { Connection } from "./connection.ts";
import type { Faults } from "./wire_faults.ts";

/** What one connection is to carry: the requests, and each one's bytes. */
export interface Pipeline {
  readonly requests: readonly HttpRequest[];
  readonly bytes: readonly Uint8Array[];
  readonly faults: Faults;
}

/** A further connection costs a handshake: it is opened for this many requests. */
const REQUESTS_PER_CONNECTION = 8;

/** Gives how many connections so many requests are worth. */
export function connectionsFor(requests: number, maxConnections: number): number {
  return Math.min(maxConnections, Math.ceil(requests / REQUESTS_PER_CONNECTION));
}

/** Cuts the requests into runs, one per connection: at most `maxConnections`, as equal as can be, in order. */
export function shares<T>(
  requests: readonly T[],
  maxConnections: number,
): readonly (readonly T[])[] {
  const count = connectionsFor(requests.length, maxConnections);
  return Array.from({ length: count }, (_, index) => {
    const cut = (at: number): number => Math.floor((at * requests.length) / count);
    return requests.slice(cut(index), cut(index + 1));
  });
}

/** Writes the requests and gives their outcomes in order; one that failed is its AgentError. */
export async function pipeline(
  connection: Connection,
  { requests, bytes, faults }: Pipeline,
): Promise<readonly (HttpReply | AgentError)[]> {
  connection.send(joined(bytes));
  const outcomes: (HttpReply | AgentError)[] = [];
  let ended: AgentError | null = null;
  let failed = false;
  for (const { maxBodyBytes } of requests) {
    const outcome = ended ?? await receiveOne(connection, maxBodyBytes);
    if (outcome instanceof AgentError) {
      outcomes.push(outcome);
      failed ||= ended === null;
      ended ??= afterFailure(outcome, faults);
    } else {
      outcomes.push(outcome.reply);
      if (!outcome.keepAlive) ended = closedEarly(faults, { announced: true });
    }
  }
  // More bytes than the last answer: which answer belongs to which request is then unknown.
  if (failed || connection.surplus.length === 0) return outcomes;
  return requests.map(() => surplusFault(connection.surplus, faults));
}

/** Takes what came behind the last answer; gives X_BAD_ANSWER: the peer frames in another way than we read. */
export function surplusFault(surplus: Uint8Array, faults: Faults): AgentError {
  const isReply = new TextDecoder("latin1").decode(surplus.subarray(0, 5)) === "HTTP/";
  return faults.badAnswer(
    "body",
    isReply ? "is followed by another that nobody asked for" : "goes on behind its own end",
  );
}

async function receiveOne(
  connection: Connection,
  maxBodyBytes: number,
): Promise<Awaited<ReturnType<Connection["receive"]>> | AgentError> {
  try {
    return await connection.receive(maxBodyBytes);
  } catch (thrown) {
    if (thrown instanceof AgentError) return thrown;
    throw thrown;
  }
}

/** A deadline and a stop hold for all that is left; after anything else the connection is just gone. */
function afterFailure(failure: AgentError, faults: Faults): AgentError {
  const forAll = hasCode(
    failure,
    "TENANCY_TIMEOUT",
    "BAO_TIMEOUT",
    "DOCKER_TIMEOUT",
    "INTERRUPTED",
  );
  return forAll ? failure : closedEarly(faults);
}

function closedEarly(faults: Faults, options: { readonly announced?: true } = {}): AgentError {
  return faults.unavailable("headers", "closed the connection with requests unanswered", options);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
