/** Chance that can be played again: everything the fuzzers make follows from a seed. */

/** A seeded source of numbers. */
export interface Chance {
  /** Gives a whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** Says yes in this part of the cases, 0 to 1. */
  is(part: number): boolean;
  /** Gives one of the items. */
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Gives between `least` and `most` results of `make`. */
  some<T>(least: number, most: number, make: () => T): T[];
}

/** Takes a seed, gives a source that always yields the same numbers for it (mulberry32). */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    is: (part) => next() < part,
    pick: (items) => items[below(items.length)] ?? items[0],
    some: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make),
  };
}
