/**
 * Writes variables as an env file that compose reads back exactly, whatever the values hold: double
 * quotes, with \ " $ and line ends escaped (facts: docker §10; 360,000 values measured). Sees
 * values; never quotes one in an error.
 */

import { AgentError } from "../../errors.ts";
import { listProblems } from "../../model/bundle_problems.ts";

/** Linux takes no longer string for a new program: MAX_ARG_STRLEN (131,072) less the final NUL. */
export const MAX_VARIABLE_BYTES = 131_071;

/**
 * Linux gives a program a quarter of its stack, 2 MiB by default, for environment, arguments and
 * their pointers together. What is left over (about 190 KiB) is for the image's own environment and
 * the command line; past the limit `up` says "Started" and the container dies at once.
 */
export const MAX_ENVIRONMENT_BYTES = 1_900_000;

const POINTER_BYTES = 8;

const ESCAPED: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "$": "\\$",
  "\n": "\\n",
  "\r": "\\r",
};

/** Takes a variable, gives its line without the line end. The value must have passed the checks below. */
export function encodeVariable(name: string, value: string): string {
  return `${name}="${value.replace(/[\\"$\n\r]/g, (char) => ESCAPED[char] ?? char)}"`;
}

/**
 * Takes variables in the order of the file, gives the file's lines. Throws ENV_VALUE_INVALID (a value
 * holds NUL or is not valid Unicode) and ENV_TOO_LARGE, each naming every variable at fault.
 */
export function encodeVariables(variables: ReadonlyMap<string, string>): string {
  const all = [...variables];
  const invalid = all.flatMap(([name, value]) => {
    if (value.includes("\0")) return [`${name} holds a NUL byte`];
    return value.isWellFormed() ? [] : [`${name} is not valid Unicode`];
  });
  if (invalid.length > 0) throw new AgentError("ENV_VALUE_INVALID", listProblems(invalid));
  const sizes = all.map(([name, value]) => ({ name, sizeBytes: variableBytes(name, value) }));
  checkSizes(sizes);
  return all.map(([name, value]) => `${encodeVariable(name, value)}\n`).join("");
}

interface Size {
  readonly name: string;
  readonly sizeBytes: number;
}

function checkSizes(sizes: readonly Size[]): void {
  const large = sizes.filter(({ sizeBytes }) => sizeBytes > MAX_VARIABLE_BYTES);
  if (large.length > 0) {
    const named = listProblems(large.map(({ name }) => name));
    throw new AgentError(
      "ENV_TOO_LARGE",
      `too large for a variable (${MAX_VARIABLE_BYTES} bytes with its name): ${named}`,
    );
  }
  const total = sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes + 1 + POINTER_BYTES, 0);
  if (total <= MAX_ENVIRONMENT_BYTES) return;
  const largest = sizes.toSorted((a, b) => b.sizeBytes - a.sizeBytes).slice(0, 5);
  throw new AgentError(
    "ENV_TOO_LARGE",
    `all variables take ${total} bytes together, an environment ${MAX_ENVIRONMENT_BYTES}; ` +
      `the largest are ${largest.map(({ name }) => name).join(", ")}`,
  );
}

/** `NAME=value` in UTF-8, as a program is given it. */
function variableBytes(name: string, value: string): number {
  return new TextEncoder().encode(`${name}=${value}`).length;
}
