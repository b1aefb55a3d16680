// What a command line of the tenancy was parsed into.

/** The parsed options of a command. */
export interface Options {
  /** Folder of the tenancy. */
  readonly folder: string;
  /** Positional arguments after the command. */
  readonly args: readonly string[];
  /** Options that take a value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Options that do not. */
  readonly switches: ReadonlySet<string>;
}
