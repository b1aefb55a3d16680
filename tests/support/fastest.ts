/** Time as a test may judge it: the fastest of several runs, so that a stall of the machine is none of it. */

/**
 * Takes what to run, and how often (5 times unless told); gives the milliseconds of the fastest run of
 * each. They run in turn, so that several can be compared: whatever slows the machine slows them all.
 */
export function fastestMs(runs: readonly (() => unknown)[], rounds = 5): readonly number[] {
  const fastest = runs.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of runs.entries()) {
      const begun = performance.now();
      run();
      fastest[index] = Math.min(fastest[index] ?? Infinity, performance.now() - begun);
    }
  }
  return fastest;
}
