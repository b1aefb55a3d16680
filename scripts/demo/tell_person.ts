/** The demo for a person: each scene as a page of aligned lines. */

import type { Check } from "./check.ts";
import { type Paint, type Style, wrap } from "./paint.ts";
import type { Teller } from "./play.ts";
import type { Seen } from "./scene.ts";
import { costLine, toldLines } from "./words.ts";

const INDENT = 3;
const LABEL_WIDTH = 11;
/** `09:12:01 info  `: where the words of a log line begin. */
const LOG_HANG = 15;

/** Where and how to print. */
export interface Page {
  readonly print: (line: string) => void;
  readonly paint: Paint;
  /** Characters in a line. */
  readonly width: number;
}

/** Takes a page; gives the teller that fills it. */
export function personTeller(page: Page): Teller {
  const { print, paint } = page;
  const room = page.width - INDENT;
  return {
    begin({ name, why }, number): void {
      print("");
      print(`${paint("bold", String(number).padEnd(INDENT))}${paint("bold", name)}`);
      for (const line of wrap(why, { width: room })) print(`${" ".repeat(INDENT)}${line}`);
      print("");
    },
    set({ wanted, meanwhile }): void {
      if (meanwhile !== undefined) block(page, "meanwhile", wrapped(page, meanwhile));
      block(page, "wanted", wrapped(page, wanted));
    },
    end({ seen, checks, ok }): void {
      if (seen !== null) {
        block(page, "agent", agentLines(page, seen));
        block(page, "told", toldLines(seen).flatMap((line) => wrapped(page, line)));
      }
      const shown = checks.filter(({ problem, isEvident }) =>
        problem !== null || isEvident !== true
      );
      block(page, "proof", shown.flatMap((each) => checkLines(page, each)));
      if (seen !== null) block(page, "cost", wrapped(page, costLine(seen.run)));
      if (!ok) print(`${" ".repeat(INDENT)}${paint("bad", "This scene did not go as it should.")}`);
    },
  };
}

function block({ print, paint }: Page, label: string, lines: readonly string[]): void {
  for (const [index, line] of lines.entries()) {
    const margin = paint("label", (index === 0 ? label : "").padEnd(LABEL_WIDTH));
    print(`${" ".repeat(INDENT)}${margin}${line}`);
  }
}

function wrapped(page: Page, text: string, hang = 0): readonly string[] {
  return wrap(text, { width: page.width - INDENT - LABEL_WIDTH, hang });
}

function agentLines(page: Page, { run }: Seen): readonly string[] {
  const { paint } = page;
  const log = run.stderr.split("\n").filter((line) => line !== "").flatMap((line) => {
    const style = styleOf(line);
    return wrapped(page, line, LOG_HANG).map((part) => paint(style, part));
  });
  const end = `exit code ${run.code} after ${(run.ms / 1000).toFixed(1)} s`;
  return ["$ monky-deployd tick", ...log, end];
}

function styleOf(logLine: string): Style {
  const level = /^\S+ (\w+)/.exec(logLine)?.[1];
  return level === "error" ? "bad" : level === "warn" ? "warn" : "dim";
}

function checkLines(page: Page, { claim, problem }: Check): readonly string[] {
  const { paint } = page;
  const [style, mark] = problem === null ? ["good", "✓"] as const : ["bad", "✗"] as const;
  const [first = "", ...others] = wrapped(page, `${mark} ${claim}`, 2);
  const why = problem === null ? [] : wrapped(page, `  ${problem}`, 2);
  return [
    `${paint(style, first.slice(0, 1))}${first.slice(1)}`,
    ...others,
    ...why.map((line) => paint("bad", line)),
  ];
}
