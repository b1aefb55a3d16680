import { AssertionError, refuse } from "./assertion_error.ts";
import { show } from "./show.ts";

/** What counts as false. */
export type Falsy = false | 0 | 0n | "" | null | undefined;

// deno-lint-ignore no-explicit-any -- the type of "any class" needs it
export type AnyConstructor = abstract new (...args: any[]) => unknown;

/** Takes a value. @throws {AssertionError} When it is falsy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Takes a value. @throws {AssertionError} When it is truthy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is Falsy {
  if (expr) throw new AssertionError(msg);
}

/** Takes a value. @throws {AssertionError} When it is `null` or `undefined`. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual === undefined || actual === null) {
    refuse(`Expected actual: "${actual}" to not be null or undefined`, msg);
  }
}

/** Takes a value and a class. @throws {AssertionError} When it is no instance of the class. */
export function assertInstanceOf<T extends AnyConstructor>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T> {
  if (actual instanceof expectedType) return;
  refuse(
    `Expected object to be an instance of "${expectedType.name}" but was ${show(actual)}`,
    msg,
  );
}

/** Takes a value and a class. @throws {AssertionError} When it is an instance of the class. */
export function assertNotInstanceOf<A, T>(
  actual: A,
  // deno-lint-ignore no-explicit-any -- as above
  unexpectedType: abstract new (...args: any[]) => T,
  msg?: string,
): asserts actual is Exclude<A, T> {
  if (!(actual instanceof unexpectedType)) return;
  refuse(`Expected object to not be an instance of "${unexpectedType.name}"`, msg);
}

/** Takes a message. @throws {AssertionError} Always. */
export function fail(msg?: string): never {
  throw new AssertionError(msg ? `Failed assertion: ${msg}` : "Failed assertion.");
}

/** Marks a place that cannot be reached. @throws {AssertionError} Always. */
export function unreachable(reason?: string): never {
  throw new AssertionError(reason ? `Unreachable: ${reason}` : "Unreachable.");
}
