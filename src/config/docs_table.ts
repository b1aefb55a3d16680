/** The table of keys in docs/CONFIG.md, rendered from the table in the code. Pure. */

import { defaultText } from "./example.ts";
import { KEY_PATHS, type KeyPath, KEYS } from "./schema.ts";

/** The lines of docs/CONFIG.md between which the table stands. */
export const TABLE_MARKS = {
  begin: "<!-- table of keys: made from src/config/schema.ts -->",
  end: "<!-- end of the table of keys -->",
} as const;

/** Gives the table in Markdown, marks included, with columns aligned as `deno fmt` wants them. */
export function renderDocsTable(): string {
  const head = ["key", "value", "default", ""];
  const rows = KEY_PATHS.map((path) => [
    code(path),
    cell(KEYS[path].kind.type),
    cell(fallbackCell(path)),
    cell(KEYS[path].doc),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [TABLE_MARKS.begin, "", line(head), rule, ...rows.map(line), "", TABLE_MARKS.end]
    .join("\n");
}

/** Takes the text of docs/CONFIG.md; gives it with its table made anew, or null without the marks. */
export function replaceDocsTable(text: string): string | null {
  const begin = text.indexOf(TABLE_MARKS.begin);
  const end = text.indexOf(TABLE_MARKS.end);
  if (begin === -1 || end < begin) return null;
  return text.slice(0, begin) + renderDocsTable() + text.slice(end + TABLE_MARKS.end.length);
}

function fallbackCell(path: KeyPath): string {
  const { fallback } = KEYS[path];
  if (fallback.is === "required") return "required";
  if (fallback.is === "none") return "none";
  return code(defaultText(path) ?? "");
}

function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
