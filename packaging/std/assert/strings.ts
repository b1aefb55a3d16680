import { refuse } from "./assertion_error.ts";
import { show } from "./show.ts";

/** Takes a text and a part of it. @throws {AssertionError} When the part is not in it. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (!actual.includes(expected)) {
    refuse(`Expected actual: ${show(actual)} to contain: ${show(expected)}`, msg);
  }
}

/** Takes a text and a pattern. @throws {AssertionError} When it does not match. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!matches(actual, expected)) {
    refuse(`Expected actual: ${show(actual)} to match: ${expected}`, msg);
  }
}

/** Takes a text and a pattern. @throws {AssertionError} When it matches. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (matches(actual, expected)) {
    refuse(`Expected actual: ${show(actual)} to not match: ${expected}`, msg);
  }
}

/** A global pattern remembers where it stopped; an assertion must not depend on that. */
function matches(text: string, pattern: RegExp): boolean {
  return text.search(pattern) !== -1;
}
