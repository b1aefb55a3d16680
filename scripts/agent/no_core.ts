/**
 * Starting a program that must leave no core: a core of the agent would hold every secret it has
 * read (SPEC §13). The runtime cannot set limits of its own process, so whoever starts it does: this
 * shell from source, `LimitCORE=0` in the unit.
 */

/** A program to start and its arguments. */
export interface Start {
  readonly program: string;
  readonly args: readonly string[];
}

/** Takes a program; gives what starts it, in the same process, with a core limit of 0 for it and its children. */
export function withoutCore({ program, args }: Start): Start {
  return { program: "/bin/sh", args: ["-c", 'ulimit -c 0 && exec "$0" "$@"', program, ...args] };
}
