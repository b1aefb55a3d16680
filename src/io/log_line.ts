/**
 * How one event becomes one line in each format. Pure text: values come masked and cut, and leave
 * with every control character escaped, so that no value can start a line, a colour or a field.
 */

import type { LogLevel } from "../ports.ts";

/** One event, ready to be written. */
export interface LogEvent {
  readonly level: LogLevel;
  readonly at: Date;
  readonly event: string;
  readonly fields: readonly (readonly [name: string, value: string | number | boolean | null])[];
  /** Whether the terminal format may use colours. */
  readonly colour: boolean;
}

/** Gives the line, without its newline, in each format. */
export const LINE_BY_FORMAT: Readonly<
  Record<"journal" | "terminal" | "json", (event: LogEvent) => string>
> = { journal: journalLine, terminal: terminalLine, json: jsonLine };

/** sd-daemon(3) priorities. */
const PRIORITY: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };
const COLOUR: Readonly<Record<LogLevel, string>> = {
  debug: "\x1b[2m",
  info: "",
  warn: "\x1b[33m",
  error: "\x1b[1;31m",
};
const DIM = "\x1b[2m";
const PLAIN = "\x1b[0m";
// C0 and C1 controls, DEL, line and paragraph separators, and the marks that reorder text.
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** `<6>tick converged sha=ab12 ms=40`: journald adds the time itself. */
function journalLine({ level, event, fields }: LogEvent): string {
  return [`<${PRIORITY[level]}>${escaped(event)}`, ...pairs(fields)].join(" ");
}

/** What a person must not miss stands on a line of its own. */
const OWN_LINE: ReadonlySet<string> = new Set(["do", "details"]);

/**
 * `03:12:45 warn  tick converged  sha=ab12 ms=40`: local time, as the reader's watch shows it. An error
 * is followed by what to do and where the details are, each on its line, and by its facts.
 */
function terminalLine({ level, at, event, fields, colour }: LogEvent): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const paint = (code: string, text: string): string =>
    colour && code !== "" && text !== "" ? `${code}${text}${PLAIN}` : text;
  const head = `${paint(DIM, time)} ${paint(COLOUR[level], level.padEnd(5))}`;
  const first = `${head} ${paint(COLOUR[level], escaped(event))}`;
  const own = fields.filter(([name]) => OWN_LINE.has(name));
  const tail = pairs(fields.filter(([name]) => !OWN_LINE.has(name))).join(" ");
  if (own.length === 0) return tail === "" ? first : `${first}  ${paint(DIM, tail)}`;
  return [
    first,
    ...own.map(([name, value]) => `  ${escaped(name)}: ${escaped(String(value))}`),
    ...(tail === "" ? [] : [`  ${paint(DIM, tail)}`]),
  ].join("\n");
}

/** One JSON object; `time`, `level` and `event` are the line's own, a field of that name gets a `_` behind it. */
function jsonLine({ level, at, event, fields }: LogEvent): string {
  const own = new Set(["time", "level", "event"]);
  const named = fields.map(([name, value]) => [own.has(name) ? `${name}_` : name, value] as const);
  return escaped(
    JSON.stringify({ time: at.toISOString(), level, event, ...Object.fromEntries(named) }),
  );
}

function pairs(fields: LogEvent["fields"]): readonly string[] {
  return fields.map(([name, value]) => `${escaped(name)}=${pairValue(value)}`);
}

function pairValue(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  return value !== "" && !/[\s"=\\]/.test(value) && escaped(value) === value
    ? value
    : escaped(JSON.stringify(value));
}

/** Escapes as JSON would, `\n` and `\u001b`, so that every format reads back alike. */
function escaped(text: string): string {
  return text.replace(UNPRINTABLE, (char) => {
    const short = JSON.stringify(char).slice(1, -1);
    return short === char ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : short;
  });
}
