/**
 * Stand-in for `jsr:@std/assert`: the part this project uses, over the runtime.
 * See `packaging/std/README.md`.
 *
 * @module
 */
export { AssertionError } from "./assertion_error.ts";
export { equal } from "./equal.ts";
export * from "./basic.ts";
export * from "./collections.ts";
export * from "./compare.ts";
export * from "./equals.ts";
export * from "./strings.ts";
export * from "./throws.ts";
