/**
 * Puts the problems of a document into one message: all at once, each with its key path, bounded.
 * Values of the document are never quoted.
 */

import type * as z from "zod/mini";

/** Problems named in one message; the rest is counted. */
const MAX_NAMED = 20;

/** Takes problems, gives them as one line: `a; b; and 3 more`. At most `maxNamed` are named. */
export function listProblems(problems: readonly string[], maxNamed: number = MAX_NAMED): string {
  const named = problems.slice(0, maxNamed);
  const rest = problems.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
}

/** Takes zod's error and the value it is about; gives one line per issue, `entries[3].path: …`. */
export function schemaProblems(error: z.core.$ZodError, value: unknown): readonly string[] {
  return error.issues.map((issue) => `${keyPath(issue.path)}${wording(issue, value)}`);
}

/** Takes the keys that lead to a value; gives `a.b[3]: `, or nothing for the document itself. */
function keyPath(path: readonly PropertyKey[]): string {
  const text = path.map((key) => typeof key === "number" ? `[${key}]` : `.${String(key)}`).join("");
  return text === "" ? "" : `${text.replace(/^\./, "")}: `;
}

function wording(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "invalid_type") {
    const isMissing = issue.path.length > 0 && valueAt(value, issue.path) === undefined;
    return isMissing ? "is missing" : `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
  }
  return issue.message;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined,
    value,
  );
}
