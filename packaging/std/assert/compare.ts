import { refuse } from "./assertion_error.ts";
import { show } from "./show.ts";

/** Takes two values. @throws {AssertionError} Unless `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) refuse(`Expect ${show(actual)} > ${show(expected)}`, msg);
}

/** Takes two values. @throws {AssertionError} Unless `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) refuse(`Expect ${show(actual)} >= ${show(expected)}`, msg);
}

/** Takes two values. @throws {AssertionError} Unless `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) refuse(`Expect ${show(actual)} < ${show(expected)}`, msg);
}

/** Takes two values. @throws {AssertionError} Unless `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) refuse(`Expect ${show(actual)} <= ${show(expected)}`, msg);
}

/**
 * Takes two numbers and how far apart they may be; a millionth of `expected` when not given.
 *
 * @throws {AssertionError} When they are further apart.
 */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void {
  const allowed = tolerance ?? Math.max(Math.abs(expected) * 1e-7, 1e-12);
  if (Object.is(actual, expected) || Math.abs(actual - expected) <= allowed) return;
  refuse(`Expected actual: ${actual} to be close to ${expected} within ${allowed}`, msg);
}
