/** The account as the table of docs/SECURITY.md. Pure. */

import { GRANT_KINDS } from "../../src/core/grants.ts";
import type { Transport } from "../../src/model/config.ts";
import type { Use } from "./account.ts";

/** The lines of docs/SECURITY.md between which the table stands. */
export const AUDIT_MARKS = {
  begin: "<!-- audit: made by deno task audit -->",
  end: "<!-- end of the audit -->",
} as const;

/** The uses of one transport's life, under one set of grants. */
export interface TransportUses {
  readonly transport: Transport;
  readonly uses: readonly Use[];
}

/** A part of the account: a title and its lives. */
export interface AuditPart {
  readonly title: string;
  readonly lives: readonly TransportUses[];
}

/** Gives the tables in Markdown, marks included, with columns aligned as `deno fmt` wants them. */
export function renderAudit(parts: readonly AuditPart[]): string {
  const blocks = parts.flatMap(({ title, lives }) => [`### ${title}`, "", partTable(lives), ""]);
  return [AUDIT_MARKS.begin, "", ...blocks, AUDIT_MARKS.end].join("\n");
}

/** Takes the text of docs/SECURITY.md; gives it with the tables, or null without the marks. */
export function replaceAudit(text: string, parts: readonly AuditPart[]): string | null {
  const begin = text.indexOf(AUDIT_MARKS.begin);
  const end = text.indexOf(AUDIT_MARKS.end);
  if (begin === -1 || end < begin) return null;
  return text.slice(0, begin) + renderAudit(parts) + text.slice(end + AUDIT_MARKS.end.length);
}

interface Row {
  readonly kind: string;
  readonly value: string;
  readonly usedBy: string;
  readonly transports: Transport[];
}

/** Lives that used a grant in the same scenes share a row. */
function partTable(lives: readonly TransportUses[]): string {
  const rows: Row[] = [];
  const all = new Set(lives.flatMap(({ uses }) => uses.flatMap(({ scenes }) => scenes)));
  for (const { transport, uses } of lives) {
    for (const { kind, value, scenes } of uses) {
      const usedBy = scenes.length === 0
        ? "**nobody**"
        : scenes.length === all.size && all.size > 1
        ? "every scene"
        : scenes.join(", ");
      const same = rows.find((row) =>
        row.kind === kind && row.value === value && row.usedBy === usedBy
      );
      if (same === undefined) rows.push({ kind, value, usedBy, transports: [transport] });
      else same.transports.push(transport);
    }
  }
  const order = (kind: string): number => GRANT_KINDS.findIndex((known) => known === kind);
  const cells = rows
    .toSorted((a, b) => order(a.kind) - order(b.kind) || (a.value < b.value ? -1 : 1))
    .map(({ kind, value, usedBy, transports }) => [
      kind,
      `\`${value}\``,
      transports.length === lives.length ? "all" : transports.join(", "),
      usedBy,
    ]);
  return markdown(["kind", "granted", "transport", "used by"], cells);
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...rows.map((row) => row[column]?.length ?? 0))
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
