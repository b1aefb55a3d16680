/**
 * Fills in the references of a text, once, left to right: what a value brings along is never read
 * again (field case 13). Sees values; gives them to its caller alone.
 */

import { AgentError } from "../../errors.ts";
import { MAX_VARIABLE_BYTES } from "./env_encode.ts";
import type { Part, Reference } from "./references.ts";

/** Gives the value of a name, or undefined when nothing defines it. */
export type Lookup = (name: string) => string | undefined;

/**
 * Takes the parts of a text, gives the text they make, as compose would. It ends early once it is
 * longer than any variable may be, so that no template makes it grow without bound. A plain
 * reference to an undefined name and a `:?` or `?` form whose condition fails throw ENV_INCOMPLETE
 * with the name and the message as written.
 */
export function evaluate(parts: readonly Part[], lookup: Lookup): string {
  let text = "";
  for (const part of parts) {
    text += part.kind === "literal" ? part.text : resolve(part, lookup);
    if (text.length > MAX_VARIABLE_BYTES) break;
  }
  return text;
}

function resolve(part: Reference, lookup: Lookup): string {
  const value = lookup(part.name);
  switch (part.form) {
    case "plain":
    case "?":
      return value ?? missing(part);
    case ":?":
      return value || missing(part);
    case "-":
      return value ?? evaluate(part.operand, lookup);
    case ":-":
      return value || evaluate(part.operand, lookup);
    case "+":
      return value === undefined ? "" : evaluate(part.operand, lookup);
    case ":+":
      return value ? evaluate(part.operand, lookup) : "";
  }
}

function missing(part: Reference): never {
  throw new AgentError("ENV_INCOMPLETE", `unresolved: ${withMessage(part.name, part.message)}`);
}

/** Takes a name and the message of its `:?` form; gives `NAME (message)`, the message cut short. */
export function withMessage(name: string, message: string): string {
  return message === "" ? name : `${name} (${message.slice(0, 200).replace(/\p{Cc}/gu, " ")})`;
}
