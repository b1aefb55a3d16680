/** Times as people read them. Pure: the reader's time zone is not known here, so dates are UTC. */

const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
];

/** Takes seconds; gives them in the two largest units that fit: `22 h 10 min`, `45 s`. */
export function saySpan(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  const first = UNITS.findIndex(([, size]) => left >= size);
  for (const [unit, size] of UNITS.slice(first < 0 ? -1 : first).slice(0, 2)) {
    const count = Math.floor(left / size);
    if (count > 0 || parts.length === 0) parts.push(`${count} ${unit}`);
    left -= count * size;
  }
  return parts.join(" ");
}

/** Takes epoch milliseconds; gives `2026-11-30 12:00:05Z`. */
export function sayDate(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** Takes a moment and now, both epoch milliseconds; gives the date and how far away it is. */
export function sayMoment(ms: number, now: number): string {
  const seconds = (now - ms) / 1000;
  const far = seconds < 0 ? `in ${saySpan(-seconds)}` : `${saySpan(seconds)} ago`;
  return `${sayDate(ms)} (${far})`;
}

/** Takes milliseconds; gives seconds as a column of steps shows them: `0.1 s`, `12.3 s`, `412 s`. */
export function saySeconds(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  return `${seconds < 99.95 ? seconds.toFixed(1) : seconds.toFixed(0)} s`;
}
