/** How `parseArgs` reads; the type parameters are the names listed in it. */
export interface ParseOptions<
  B extends string = string,
  S extends string = string,
  C extends string = string,
  D extends Record<string, unknown> = Record<string, unknown>,
  DD extends boolean = boolean,
> {
  /** Options that are switches; `true` makes every option without `=` one. */
  boolean?: boolean | B | readonly B[];
  /** Options whose value stays text. `_` keeps the positional arguments text. */
  string?: S | readonly S[];
  /** Options that may be repeated: their value is a list. */
  collect?: C | readonly C[];
  /** Options that `--no-NAME` sets to `false`. */
  negatable?: string | readonly string[];
  /** Values of options that are not given. */
  default?: D;
  /** Other names: the value is found under every one. */
  alias?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the first positional argument ends the options. */
  stopEarly?: boolean;
  /** Whether what follows `--` is kept apart, under `--`. */
  "--"?: DD;
  /** Called for what is not listed; `false` leaves it out of the result. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

type Given<K extends string, V, Absent, C extends string, D> = K extends C ? V[]
  : K extends keyof D ? V | D[K]
  : V | Absent;

/** What `parseArgs` gives. */
export type Args<
  B extends string = never,
  S extends string = never,
  C extends string = never,
  D = Record<never, never>,
  DD extends boolean = false,
> =
  & Record<string, unknown>
  & { _: (string | number)[] }
  & { [K in Exclude<B, "_">]: Given<K, boolean, never, C, D> }
  & { [K in Exclude<S, "_">]: Given<K, string, undefined, C, D> }
  & { [K in Exclude<C, B | S>]: unknown[] }
  & { [K in Exclude<keyof D, B | S | C>]: D[K] }
  & (DD extends true ? { "--": string[] } : unknown);
