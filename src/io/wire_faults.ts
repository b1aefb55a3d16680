/**
 * What can go wrong between "dial" and "last byte", as AgentErrors of the peer that was spoken to.
 * The three peers share every sentence; only the codes differ. A sentence here never quotes a byte
 * that came over the wire, a header or a query (cases 70 and 75).
 */

import { AgentError, type Code } from "../errors.ts";
import type { Peer } from "../ports.ts";

/** How far an exchange had come when it failed; stands in `data.phase`. */
export type Phase = "dial" | "tls" | "send" | "headers" | "body";

/** Makes the AgentErrors of one peer. */
export interface Faults {
  /** How the peer is called in sentences. */
  readonly name: string;
  /** X_UNAVAILABLE: refused, reset, closed early. */
  unavailable(phase: Phase, what: string, options?: FaultOptions): AgentError;
  /** X_BAD_ANSWER: what came is not an HTTP/1.1 reply that may be believed. */
  badAnswer(phase: Phase, what: string): AgentError;
  /** X_TIMEOUT: the limit of the whole exchange passed. */
  timeout(phase: Phase, timeoutMs: number): AgentError;
  /** ANSWER_TOO_LARGE: the body would pass the limit; reading stopped there. */
  tooLarge(maxBodyBytes: number): AgentError;
  /** INTERRUPTED: the caller's signal ended the exchange. */
  interrupted(phase: Phase): AgentError;
}

/** What accompanies a fault: the runtime's error, the address that was dialled, what the peer said. */
export interface FaultOptions {
  readonly cause?: unknown;
  readonly address?: string;
  /** The peer said that this reply was its last, so it has not acted on the request (RFC 9112 §9.6). */
  readonly announced?: true;
}

interface PeerWords {
  readonly name: string;
  readonly unavailable: Code;
  readonly badAnswer: Code;
  readonly timeout: Code;
}

const WORDS: Readonly<Record<Peer, PeerWords>> = {
  tenancy: {
    name: "tenancy",
    unavailable: "TENANCY_UNAVAILABLE",
    badAnswer: "TENANCY_BAD_ANSWER",
    timeout: "TENANCY_TIMEOUT",
  },
  bao: {
    name: "OpenBao",
    unavailable: "BAO_UNAVAILABLE",
    badAnswer: "BAO_BAD_ANSWER",
    timeout: "BAO_TIMEOUT",
  },
  docker: {
    name: "the Docker Engine",
    unavailable: "DOCKER_UNAVAILABLE",
    badAnswer: "DOCKER_BAD_ANSWER",
    timeout: "DOCKER_TIMEOUT",
  },
};

/** Gives the faults of a peer. */
export function faultsOf(peer: Peer): Faults {
  const words = WORDS[peer];
  return {
    name: words.name,
    unavailable: (phase, what, options = {}): AgentError =>
      new AgentError(words.unavailable, `${words.name} ${what}`, {
        cause: options.cause,
        data: {
          peer,
          phase,
          ...(options.address === undefined ? {} : { address: options.address }),
          ...(options.announced === undefined ? {} : { announced: true }),
        },
      }),
    badAnswer: (phase, what): AgentError =>
      new AgentError(words.badAnswer, `the answer of ${words.name} ${what}`, {
        data: { peer, phase },
      }),
    timeout: (phase, timeoutMs): AgentError =>
      new AgentError(words.timeout, `${words.name} did not answer within ${timeoutMs} ms`, {
        data: { peer, phase, timeoutMs },
      }),
    tooLarge: (maxBodyBytes): AgentError =>
      new AgentError(
        "ANSWER_TOO_LARGE",
        `the answer of ${words.name} is larger than ${maxBodyBytes} bytes`,
        { data: { peer, phase: "body", maxBodyBytes } },
      ),
    interrupted: (phase): AgentError =>
      new AgentError("INTERRUPTED", `the exchange with ${words.name} was stopped`, {
        data: { peer, phase },
      }),
  };
}

/** Gives the error again with the request's method and path, without its query, in `data.request`. */
export function withRequest(error: AgentError, method: string, target: string): AgentError {
  const [path = ""] = target.split("?", 1);
  return new AgentError(error.code, error.message, {
    cause: error.cause,
    hint: error.hint,
    data: { ...error.data, request: `${method} ${path}` },
  });
}
