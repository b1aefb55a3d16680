import { refuse } from "./assertion_error.ts";
import { diffLines } from "./diff.ts";
import { equal } from "./equal.ts";
import { show } from "./show.ts";

/** Takes two values. @throws {AssertionError} When they differ, with the difference. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) refuse(difference("Values are not equal", actual, expected, msg));
}

/** Takes two values. @throws {AssertionError} When they are the same in depth. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) refuse(`Expected actual to differ from: ${show(expected)}`, msg);
}

/** Takes two values. @throws {AssertionError} When they are not the very same one. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const what = equal(actual, expected)
    ? "Values have the same structure but are not reference-equal"
    : "Values are not strictly equal";
  refuse(difference(what, actual, expected, msg));
}

/** Takes two values. @throws {AssertionError} When they are the very same one. */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (Object.is(actual, expected)) {
    refuse(`Expected actual to not be strictly equal to: ${show(expected)}`, msg);
  }
}

/**
 * Takes an object and a pattern of it.
 *
 * @throws {AssertionError} When a key of the pattern is absent or differs, in depth.
 */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any -- std's signature: interfaces have no index signature
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void {
  const picked = pick(actual, expected, new Map());
  if (!equal(picked, expected)) {
    refuse(difference("Object does not match", picked, expected, msg));
  }
}

/** What of `value` the pattern speaks about, in the pattern's shape. */
function pick(value: unknown, pattern: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value !== "object" || typeof pattern !== "object") return value;
  if (value === null || pattern === null || !hasParts(value) || !hasParts(pattern)) return value;
  const met = seen.get(pattern);
  if (met !== undefined) return met;
  const picked: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(pattern));
  seen.set(pattern, picked);
  for (const key of Reflect.ownKeys(pattern)) {
    // `length` is a key of every list, and a list is matched from its start.
    if (!(key in value) || (key === "length" && Array.isArray(value))) continue;
    Reflect.set(picked, key, pick(Reflect.get(value, key), Reflect.get(pattern, key), seen));
  }
  return picked;
}

function hasParts(value: object): boolean {
  return Array.isArray(value) || !(value instanceof Date || value instanceof RegExp ||
    value instanceof Map || value instanceof Set || ArrayBuffer.isView(value));
}

function difference(what: string, actual: unknown, expected: unknown, msg?: string): string {
  const text = typeof actual === "string" && typeof expected === "string" &&
      (actual + expected).includes("\n")
    ? diffLines(actual, expected)
    : diffLines(show(actual), show(expected));
  return `${what}${msg ? `: ${msg}` : "."}\n\n    [Diff] - actual / + expected\n\n${text}\n`;
}
