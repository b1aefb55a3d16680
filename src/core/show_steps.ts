/**
 * The lines of an apply on a terminal: one that stays for each step that has ended, and one that is
 * drawn again and again for the step that runs. Pure. ASCII alone, so that a character is a column
 * wherever the terminal stands, and never as wide as the terminal, so that no line wraps.
 */

import { saySeconds } from "./say_time.ts";

/** A step as it is shown. */
export interface ShownStep {
  readonly step: string;
  readonly ms: number;
  /** A few words, e.g. how far a pull is; may be empty. */
  readonly says: string;
}

/** The terminal. */
export interface Paper {
  readonly columns: number;
  readonly colour: boolean;
}

const MIN_COLUMNS = 10;
const STEP_CHARS = 10;
const TIME_CHARS = 7;
const BOLD = "\x1b[1m";
const DIM = "\x1b[2m";
const RED = "\x1b[1;31m";
const GREEN = "\x1b[32m";
const PLAIN = "\x1b[0m";

/** Takes the step that runs; gives its line. */
export function runningLine(shown: ShownStep, paper: Paper): string {
  return line(shown, { mark: ">", paint: BOLD }, paper);
}

/** Takes a step that has ended; gives its line. */
export function endedLine(shown: ShownStep & { readonly ok: boolean }, paper: Paper): string {
  const { ok, says } = shown;
  const words = ok ? says : "failed";
  return line(
    { ...shown, says: words },
    ok ? { mark: "+", paint: GREEN } : {
      mark: "x",
      paint: RED,
    },
    paper,
  );
}

function line(
  { step, ms, says }: ShownStep,
  { mark, paint }: { readonly mark: string; readonly paint: string },
  { columns, colour }: Paper,
): string {
  const width = Math.max(columns, MIN_COLUMNS) - 1;
  const name = step.replaceAll(/[^\x20-\x7e]/g, "?").padEnd(STEP_CHARS);
  const head = `${mark} ${name}`.slice(0, width);
  const time = ` ${saySeconds(ms).padStart(TIME_CHARS)}`.slice(0, Math.max(0, width - head.length));
  const room = width - head.length - time.length;
  const rest = says === "" ? "" : `  ${says.replaceAll(/[^\x20-\x7e]/g, "?")}`.slice(0, room);
  if (!colour) return `${head}${time}${rest}`.trimEnd();
  return `${paint}${head}${PLAIN}${time}${rest === "" ? "" : `${DIM}${rest}${PLAIN}`}`;
}
