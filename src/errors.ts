/**
 * The one error class of the agent, its kinds, and the exit code of each kind (SPEC §8).
 * The codes themselves, with the operator's next action for each, stand in catalogue.ts.
 */

import { CATALOGUE, type Code, type Kind } from "./catalogue.ts";

export { CATALOGUE, type Code, type Kind } from "./catalogue.ts";

/** The process exit code that each kind of failure ends with (SPEC §8, sysexits.h). */
export const EXIT_BY_KIND: Readonly<Record<Kind, number>> = {
  failed: 1,
  refused: 1,
  auth: 1,
  usage: 64,
  bug: 70,
  temporary: 75,
  config: 78,
};

/** Facts about a failure that are safe to print: never a secret, a token, or a URL's query. */
export type ErrorData = Readonly<Record<string, string | number | boolean | null>>;

/** What may accompany a failure: its cause, printable facts, and a hint that is better than the catalogue's. */
export interface ErrorOptions {
  readonly cause?: unknown;
  readonly data?: ErrorData;
  readonly hint?: string;
}

/**
 * Every failure that the agent foresees. `code` is the wire string: the same in logs, state and
 * reports. `message` says what happened and to what, and never repeats its cause.
 */
export class AgentError extends Error {
  readonly code: Code;
  readonly data: ErrorData;
  readonly #hint: string | undefined;

  constructor(code: Code, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AgentError";
    this.code = code;
    this.data = options.data ?? {};
    this.#hint = options.hint;
  }

  /** The class of the failure, which decides the exit code. */
  get kind(): Kind {
    return CATALOGUE[this.code].kind;
  }

  /** What the operator does next, in one sentence. */
  get hint(): string {
    return this.#hint ?? CATALOGUE[this.code].hint;
  }

  /** Whether the failure counts as a failed apply: kept in the state, paced, and reported. */
  get reported(): boolean {
    return CATALOGUE[this.code].report;
  }
}

/** Takes any thrown value; gives it as an AgentError, a foreign one as INTERNAL with its cause kept. */
export function asAgentError(thrown: unknown): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  return new AgentError("INTERNAL", `an unforeseen ${name} ended the command`, { cause: thrown });
}

/** Takes a thrown value; says whether it is an AgentError with one of the given codes. */
export function hasCode(thrown: unknown, ...codes: readonly Code[]): thrown is AgentError {
  return thrown instanceof AgentError && codes.includes(thrown.code);
}
