/** The pause between two ticks of `run`: the interval, spread so that a fleet does not march in step. */

const SHORTEST_S = 5;
const LONGEST_S = 3_600;
const SPREAD = 0.1;

/** Takes the interval in seconds and a fraction of chance; gives milliseconds, 10 % more or less. */
export function pauseMs(intervalS: number, fraction: number): number {
  const bounded = Math.min(Math.max(intervalS, SHORTEST_S), LONGEST_S);
  return Math.round(bounded * 1000 * (1 - SPREAD + 2 * SPREAD * fraction));
}
