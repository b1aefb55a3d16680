/**
 * Standard error as a terminal: lines that stay, and below them one that is drawn in place. That one
 * is always shorter than the terminal is wide, so it never wraps by itself; when the terminal was
 * made narrower since, it has, and takes several rows until it is drawn again.
 */

import type { Screen } from "../ports.ts";
import { writeFully } from "./write_fully.ts";

/** What the screen asks of the terminal. */
export interface Terminal {
  /** Writes the text as it is. */
  write(text: string): void;
  /** Gives its width now. */
  columns(): number;
  readonly colour: boolean;
}

const DEFAULT_COLUMNS = 80;
// deno-lint-ignore no-control-regex
const COLOURS = /\x1b\[[0-9;]*m/g;

/** Gives the screen over standard error, or null when that is no terminal. */
export function createScreen(): Screen | null {
  if (!Deno.stderr.isTerminal()) return null;
  const encoder = new TextEncoder();
  return screenOver({
    write: (text) => writeFully(Deno.stderr, encoder.encode(text)),
    columns: columnsNow,
    // Deno.noColor reads NO_COLOR without a permission of its own.
    colour: !Deno.noColor,
  });
}

/** Gives the screen over a terminal. */
export function screenOver(terminal: Terminal): Screen {
  let drawn: string | null = null;

  /** Takes the cursor to where the drawn line began, and everything below away. */
  function erase(): string {
    if (drawn === null) return "";
    const length = drawn.replaceAll(COLOURS, "").length;
    const rowsAbove = Math.max(0, Math.ceil(length / Math.max(1, terminal.columns())) - 1);
    return `${rowsAbove === 0 ? "" : `\x1b[${rowsAbove}A`}\r\x1b[J`;
  }

  return {
    colour: terminal.colour,
    columns: () => terminal.columns(),
    print(text): void {
      terminal.write(`${erase()}${text}\n${drawn ?? ""}`);
    },
    draw(line): void {
      if (line === drawn) return;
      terminal.write(`${erase()}${line ?? ""}`);
      drawn = line;
    },
  };
}

function columnsNow(): number {
  try {
    const { columns } = Deno.consoleSize();
    return columns > 0 ? columns : DEFAULT_COLUMNS;
  } catch {
    return DEFAULT_COLUMNS;
  }
}
