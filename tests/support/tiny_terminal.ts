/**
 * A terminal as far as the agent uses one: text that wraps, carriage return, line feed, cursor up,
 * erase to the end. What is on it at the end is what a person sees.
 */

/** Takes what was written and the width; gives the rows, empty ones at the end left out. */
export function rowsOf(written: string, columns: number): readonly string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const at = (index: number): string[] => rows[index] ??= [];
  // deno-lint-ignore no-control-regex
  for (const [token] of written.matchAll(/\x1b\[([\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]/g)) {
    // deno-lint-ignore no-control-regex
    const [, count = "", letter] = /^\x1b\[([\d;]*)([A-Za-z])$/.exec(token) ?? [];
    if (letter === "A") row = Math.max(0, row - Number(count || 1));
    else if (letter === "J") {
      at(row).length = Math.min(at(row).length, column);
      rows.length = row + 1;
    } else if (letter !== undefined) continue;
    else if (token === "\r") column = 0;
    else if (token === "\n") {
      row += 1;
      column = 0;
      at(row);
    } else {
      if (column === columns) {
        row += 1;
        column = 0;
      }
      at(row)[column++] = token;
    }
  }
  const texts = rows.map((cells) => Array.from(cells, (cell) => cell ?? " ").join("").trimEnd());
  while (texts.length > 0 && texts.at(-1) === "") texts.pop();
  return texts;
}
