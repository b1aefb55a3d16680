/**
 * The tables of codes in docs/OPERATIONS.md: exit code, retry and hint from the catalogue, causes from
 * causes.ts. Pure; scripts/agent/generate.ts writes them, a test compares.
 */

import { CATALOGUE, type Code, EXIT_BY_KIND } from "../../src/errors.ts";
import { CAUSE_GROUPS, type CauseGroup, MAY_HAVE_TOUCHED } from "./causes.ts";

const BEGIN = "<!-- codes: made from src/catalogue.ts and scripts/docs/causes.ts -->";
const END = "<!-- end of the codes -->";

/** What follows a code, in a word each that the page explains. */
function thenOf(code: Code): string {
  const { kind, report } = CATALOGUE[code];
  if (kind === "usage") return "-";
  if (report) return "paced, reported";
  return kind === "temporary" ? "next tick" : "when mended";
}

function rowOf([code, cause]: readonly [Code, string]): readonly string[] {
  const { kind, hint } = CATALOGUE[code];
  const mark = MAY_HAVE_TOUCHED.has(code) ? " \\*" : "";
  return [`\`${code}\`${mark}`, String(EXIT_BY_KIND[kind]), thenOf(code), cause, hint];
}

const HEAD = ["code", "exit", "again", "what happened", "what to do"];

function tableOf({ title, causes }: CauseGroup): string {
  const rows = (Object.entries(causes) as [Code, string][]).map(rowOf)
    .map((row) => row.map((cell) => cell.replaceAll("|", "\\|").replaceAll("*.", "\\*.")));
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [`### ${title}`, "", line(HEAD), rule, ...rows.map(line), ""].join("\n");
}

/** Takes the text of docs/OPERATIONS.md; gives it with its tables made anew, or null without the marks. */
export function replaceCodeTables(page: string): string | null {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) return null;
  const made = `${BEGIN}\n\n${CAUSE_GROUPS.map(tableOf).join("\n")}\n${END}`;
  return page.slice(0, begin) + made + page.slice(end + END.length);
}
