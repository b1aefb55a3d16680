/**
 * A value that must not be seen: it prints as [redacted] wherever a value can be printed.
 * `reveal()` is the only way out; call it where the value leaves for its one destination.
 */

const REDACTED = "[redacted]";

/** Holds one secret string. Equality, JSON, templates, console and inspection show [redacted]. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Gives the value itself. */
  reveal(): string {
    return this.#value;
  }

  /** Gives the length of the value in UTF-16 units, so that limits can be checked unseen. */
  get length(): number {
    return this.#value.length;
  }

  /** Gives [redacted]. */
  toString(): string {
    return REDACTED;
  }

  /** Gives [redacted]. */
  toJSON(): string {
    return REDACTED;
  }

  /** Gives [redacted] to template literals and concatenation. */
  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  /** Gives [redacted] to Deno.inspect and console. */
  [Symbol.for("Deno.customInspect")](): string {
    return REDACTED;
  }

  /** Gives [redacted] to Node's util.inspect. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return REDACTED;
  }
}
