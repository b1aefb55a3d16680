/** Past this product of line counts the table costs too much; both sides are shown whole. */
const TABLE_LIMIT = 4_000_000;
/** Equal lines shown around a difference. */
const CONTEXT = 3;

/**
 * Takes two texts and gives their difference by lines: `-` only in `actual`, `+` only in
 * `expected`, long equal stretches left out.
 */
export function diffLines(actual: string, expected: string): string {
  const before = actual.split("\n");
  const after = expected.split("\n");
  if (before.length * after.length > TABLE_LIMIT) {
    return [...before.map((line) => `-   ${line}`), ...after.map((line) => `+   ${line}`)]
      .join("\n");
  }
  return fold(align(before, after)).join("\n");
}

/** Lengths of the longest common subsequence of every two suffixes. */
function table(before: string[], after: string[]): Uint32Array[] {
  const rows = Array.from(
    { length: before.length + 1 },
    () => new Uint32Array(after.length + 1),
  );
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = rows[i] as Uint32Array;
      const below = rows[i + 1] as Uint32Array;
      row[j] = before[i] === after[j]
        ? (below[j + 1] ?? 0) + 1
        : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
}

function align(before: string[], after: string[]): string[] {
  const lengths = table(before, after);
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(`    ${before[i]}`);
      i++;
      j++;
    } else if (
      j >= after.length ||
      (i < before.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      lines.push(`-   ${before[i++]}`);
    } else {
      lines.push(`+   ${after[j++]}`);
    }
  }
  return lines;
}

function fold(lines: string[]): string[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line[0] !== " ")
  );
  const kept: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (near[index]) kept.push(line);
    else if (kept.at(-1) !== "    …") kept.push("    …");
  }
  return kept;
}
