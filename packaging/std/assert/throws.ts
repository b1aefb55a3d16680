import { AssertionError, refuse } from "./assertion_error.ts";
import { show } from "./show.ts";

// deno-lint-ignore no-explicit-any -- the type of "any error class" needs it
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

/**
 * Takes a function and gives what it throws.
 *
 * @throws {AssertionError} When it throws nothing.
 */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/**
 * Takes a function, an error class and a part of the message, and gives the error.
 *
 * @throws {AssertionError} When it throws nothing, or something else.
 */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  // std's signature names this parameter in upper case
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(
  fn: () => unknown,
  second?: string | ErrorClass<Error>,
  msgIncludes?: string,
  third?: string,
): unknown {
  const expected = typeof second === "string" ? undefined : second;
  const msg = typeof second === "string" ? second : third;
  try {
    fn();
  } catch (error) {
    check(error, "throw", expected, msgIncludes, msg);
    return error;
  }
  return refuse("Expected function to throw", msg);
}

/**
 * Takes a function that gives a promise, and gives what the promise is rejected with.
 *
 * @throws {AssertionError} When it is not rejected, or the function throws before it gives one.
 */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/**
 * Takes a function that gives a promise, an error class and a part of the message, and gives
 * the error.
 *
 * @throws {AssertionError} When the promise is not rejected, or with something else.
 */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  // std's signature names this parameter in upper case
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  second?: string | ErrorClass<Error>,
  msgIncludes?: string,
  third?: string,
): Promise<unknown> {
  const expected = typeof second === "string" ? undefined : second;
  const msg = typeof second === "string" ? second : third;
  try {
    await promiseOf(fn, msg);
  } catch (error) {
    if (error instanceof NoPromise) throw new AssertionError(error.message);
    check(error, "reject", expected, msgIncludes, msg);
    return error;
  }
  return refuse("Expected function to reject", msg);
}

/** Tells a fault of the call from what the promise was rejected with. */
class NoPromise extends Error {}

function promiseOf(fn: () => PromiseLike<unknown>, msg?: string): PromiseLike<unknown> {
  const suffix = msg ? `: ${msg}` : "";
  let result: unknown;
  try {
    result = fn();
  } catch (cause) {
    throw new NoPromise(`Function throws when expected to reject${suffix}`, { cause });
  }
  if (typeof result === "object" && result !== null && "then" in result) {
    return result as PromiseLike<unknown>;
  }
  throw new NoPromise(`Function does not return a promise${suffix}`);
}

function check(
  error: unknown,
  verb: string,
  expected: ErrorClass<Error> | undefined,
  msgIncludes: string | undefined,
  msg: string | undefined,
): void {
  if (expected === undefined) return;
  if (!(error instanceof Error)) {
    refuse(`A non-Error object was ${verb === "throw" ? "thrown" : "rejected"}`, msg);
  }
  if (!(error instanceof expected)) {
    refuse(`Expected error to be instance of "${expected.name}", but was ${show(error)}`, msg);
  }
  if (msgIncludes !== undefined && !error.message.includes(msgIncludes)) {
    refuse(
      `Expected error message to include ${show(msgIncludes)}, but got ${show(error.message)}`,
      msg,
    );
  }
}
