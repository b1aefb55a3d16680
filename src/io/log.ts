/**
 * The journal on standard error: one event is one line, whatever its values hold. Every value passes
 * the mask of revealed secrets before it is cut or escaped. A closed standard error ends nothing.
 */

import type { Log, LogFields, LogLevel, Screen } from "../ports.ts";
import { LINE_BY_FORMAT, type LogEvent } from "./log_line.ts";
import { writeFully } from "./write_fully.ts";

/** How a line looks: for journald, for a person, for a machine. */
export type LogFormat = "journal" | "terminal" | "json";

/** What the log needs to know. */
export interface LogOptions {
  readonly logFormat: LogFormat | "auto";
  readonly logLevel: LogLevel;
  readonly mask: (text: string) => string;
  /** Where lines go when something is drawn below them; by default straight to standard error. */
  readonly screen?: Screen | null;
}

const RANK: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
/** Longer values are cut: journald splits lines at 48 KiB, and one event is one line. */
const MAX_VALUE_CHARS = 4096;

/** Gives the log. `auto` is `terminal` when standard error is one, else `journal`. */
export function createLog(options: LogOptions): Log {
  const format = options.logFormat === "auto" ? formatOfStderr() : options.logFormat;
  const toLine = LINE_BY_FORMAT[format];
  const encoder = new TextEncoder();
  const clean = (text: string): string => cut(options.mask(text));
  const put = (line: string): void => {
    if (options.screen) options.screen.print(line);
    else writeFully(Deno.stderr, encoder.encode(`${line}\n`));
  };
  return {
    shows: (level) => RANK[level] >= RANK[options.logLevel],
    write(level: LogLevel, event: string, fields: LogFields = {}): void {
      if (RANK[level] < RANK[options.logLevel]) return;
      const masked: LogEvent = {
        level,
        at: new Date(),
        event: clean(event),
        fields: Object.entries(fields).flatMap(([name, value]) => {
          if (value === undefined) return [];
          return [[name, typeof value === "string" ? clean(value) : value] as const];
        }),
        // Deno.noColor reads NO_COLOR without a permission of its own.
        colour: !Deno.noColor,
      };
      put(toLine(masked));
    },
  };
}

function formatOfStderr(): LogFormat {
  return Deno.stderr.isTerminal() ? "terminal" : "journal";
}

function cut(text: string): string {
  if (text.length <= MAX_VALUE_CHARS) return text;
  return `${text.slice(0, MAX_VALUE_CHARS)}… (${text.length - MAX_VALUE_CHARS} more characters)`;
}
