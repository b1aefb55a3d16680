/**
 * Stand-in for `jsr:@std/yaml`: the part this project uses, over `npm:js-yaml`.
 * See `packaging/std/README.md`.
 *
 * @module
 */
export { parse, parseAll, type ParseOptions } from "./parse.ts";
export { stringify, type StringifyOptions } from "./stringify.ts";
export type { SchemaType } from "./schema.ts";
