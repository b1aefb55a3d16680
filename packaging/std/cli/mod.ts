/**
 * Stand-in for `jsr:@std/cli`: the part this project uses, over `npm:minimist`.
 * See `packaging/std/README.md`.
 *
 * @module
 */
export * from "./parse_args.ts";
