import { refuse } from "./assertion_error.ts";
import { equal } from "./equal.ts";
import { show } from "./show.ts";

/** Takes two lists. @throws {AssertionError} When a value of `expected` is not in `actual`. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void {
  const present = Array.from(actual);
  const missing = Array.from(expected).filter((value) =>
    !present.some((other) => equal(value, other))
  );
  if (missing.length === 0) return;
  refuse(
    `Expected actual: ${show(actual)} to include: ${show(expected)}`,
    [
      ...(msg ? [msg] : []),
      `missing: ${show(missing)}`,
    ].join(", "),
  );
}
