// @ts-types="@types/minimist"
import minimist from "minimist";
import type { Args, ParseOptions } from "./types.ts";

export type { Args, ParseOptions } from "./types.ts";

/**
 * Takes a command line and gives its options and, under `_`, its positional arguments. Of an
 * option given twice the last counts, unless it is listed in `collect`.
 *
 * Throws nothing of its own: what is not listed goes to `unknown`.
 */
export function parseArgs<
  const B extends string = never,
  const S extends string = never,
  const C extends string = never,
  D extends Record<string, unknown> = Record<never, never>,
  const DD extends boolean = false,
>(
  args: readonly string[],
  options: ParseOptions<B, S, C, D, DD> = {},
): Args<B, S, C, D, DD> {
  const negatable = new Set(list(options.negatable));
  const { argv, switches } = shieldNegations(args, negatable);
  const found: Record<string, unknown> = minimist([...argv], {
    string: list(options.string),
    boolean: options.boolean === true ? true : [...list(options.boolean), ...switches],
    default: { ...options.default },
    alias: aliases(options.alias),
    stopEarly: options.stopEarly ?? false,
    "--": options["--"] ?? false,
    unknown: (arg) => accepts(arg, options, switches),
  });
  for (const name of switches) {
    if (options.unknown?.(`--${name}`, name, true) === false) delete found[name];
  }
  settleRepeats(found, options);
  return found as Args<B, S, C, D, DD>;
}

function list(value: boolean | string | readonly string[] | undefined): string[] {
  if (value === undefined || typeof value === "boolean") return [];
  return typeof value === "string" ? [value] : [...value];
}

function aliases(given: ParseOptions["alias"]): Record<string, string[]> {
  return Object.fromEntries(Object.entries(given ?? {}).map(([key, value]) => [key, list(value)]));
}

/**
 * minimist takes every `--no-x` as a negation; std only those that are listed. Giving the others
 * a value, and the type of a switch, makes minimist see plain options called `no-x`.
 */
function shieldNegations(
  args: readonly string[],
  negatable: ReadonlySet<string>,
): { argv: string[]; switches: string[] } {
  const end = args.indexOf("--");
  const switches = new Set<string>();
  const argv = args.map((arg, index) => {
    if (end !== -1 && index > end) return arg;
    const name = /^--no-([^=]+)$/.exec(arg)?.[1];
    if (name === undefined || negatable.has(name)) return arg;
    switches.add(`no-${name}`);
    return `${arg}=true`;
  });
  return { argv, switches: [...switches] };
}

function accepts(arg: string, options: ParseOptions, switches: readonly string[]): boolean {
  if (options.unknown === undefined) return true;
  const option = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(arg);
  if (option === null) return options.unknown(arg) !== false;
  const [, key = "", value = true] = option;
  if (list(options.collect).includes(key) || switches.includes(key)) return true;
  return options.unknown(arg, key, value) !== false;
}

/** minimist lists the values of every repeated option; std only those of `collect`. */
function settleRepeats(found: Record<string, unknown>, options: ParseOptions): void {
  const groups = Object.entries(aliases(options.alias)).map(([key, names]) => [key, ...names]);
  const collected = new Set(
    list(options.collect).flatMap((name) => groups.find((group) => group.includes(name)) ?? [name]),
  );
  for (const [name, value] of Object.entries(found)) {
    if (name === "_" || name === "--" || collected.has(name)) continue;
    if (Array.isArray(value) && value !== options.default?.[name]) found[name] = value.at(-1);
  }
  for (const name of collected) {
    const value = found[name];
    if (Array.isArray(value)) continue;
    const absent = value === undefined || (value === false && options.default?.[name] !== false);
    found[name] = absent ? [] : [value];
  }
}
