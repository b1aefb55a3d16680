/**
 * Which known name somebody most likely meant: for unknown config keys, commands and options.
 * Pure; every length is bounded, since the names come from files and command lines.
 */

const MAX_LENGTH = 64;

/**
 * Takes two names; gives the least number of inserted, removed, replaced or swapped neighbouring
 * characters between them (optimal string alignment). Looks at the first 64 characters only.
 */
export function editDistance(left: string, right: string): number {
  const a = left.slice(0, MAX_LENGTH);
  const b = right.slice(0, MAX_LENGTH);
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(above, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, at(above, j) + 1, at(row, j - 1) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(before, j - 2) + 1);
      }
      row.push(least);
    }
    before = above;
    above = row;
  }
  return at(above, b.length);
}

/**
 * Takes a name and the known ones; gives the nearest, the first of equals, or null when none is near
 * enough to be meant: with more than a third of the letters wrong (rounded up) it is another word,
 * unless a known one begins with it. For dotted key paths the last part counts by itself too, so
 * that a key that stands in the wrong section (`port`) finds its place (`tenancy.port`).
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  let best: string | null = null;
  let bestScore = Infinity;
  for (const candidate of known) {
    const whole = editDistance(name, candidate);
    const [given, meant] = [lastPart(name), lastPart(candidate)];
    const last = editDistance(given, meant);
    const isNear = whole <= limitOf(name, candidate) || last <= limitOf(given, meant);
    const score = Math.min(whole, 1 + last);
    if (isNear && score < bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** The most changes that are still a slip; the first three letters of a name, or more, stand for it. */
function limitOf(given: string, meant: string): number {
  if (given.length >= 3 && meant.startsWith(given)) return meant.length;
  return Math.ceil(Math.max(given.length, meant.length) / 3);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? MAX_LENGTH;
}
