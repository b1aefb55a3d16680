/**
 * Reads `.env.template` as compose's own reader of env files would (measured on 2.26.1), less what
 * that reader silently drops or misreads: such a line is refused by number. Line ends of the file
 * (CRLF, a byte order mark) are not data. Text of the template is quoted in no error but for the
 * reference at fault: operators have pasted secrets there.
 */

import { AgentError } from "../../errors.ts";
import { listProblems } from "../../model/bundle_problems.ts";
import { type Part, scanReferences } from "./references.ts";
import { readQuoted } from "./template_quotes.ts";

/** One `NAME=value` of the template. */
export interface Assignment {
  readonly name: string;
  readonly parts: readonly Part[];
  /** Line it begins on, from 1. */
  readonly line: number;
}

/** A template taken apart, in the order of the file. */
export interface Template {
  readonly assignments: readonly Assignment[];
}

/** Blanks that compose skips around a name and before a value; a line feed is not among them. */
const BLANK = "[ \\t\\v\\f\\r\\u0085\\u00a0]";

/** `NAME=`, `export NAME=`, or `NAME: ` (a colon without a blank after it would be misread). */
const HEAD = new RegExp(
  `(?:export[ \\t\\f\\r]${BLANK}*)?(?!export${BLANK})([A-Za-z_][A-Za-z0-9_.-]*)` +
    `${BLANK}*(?:=|:(?=${BLANK}|\\n|$))(${BLANK}*)`,
  "y",
);

/** Problems after which the rest of the file is left unread. */
const MAX_PROBLEMS = 1_000;

/** White space as compose (Go's unicode.IsSpace) knows it; a line feed is among it. */
const SPACE = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** No line end to compose: what stands behind it would join the value, or the comment, before it. */
const STRAY_RETURN = "holds a carriage return that ends no line (end lines with a line feed)";

/** More than any environment can hold (env_encode.ts), comments included. */
const MAX_LENGTH = 2 * 1024 * 1024;

/** Takes the text of `.env.template`, gives its assignments. Throws TEMPLATE_INVALID, every line at once. */
export function parseTemplate(source: string): Template {
  if (source.length > MAX_LENGTH) {
    throw new AgentError("TEMPLATE_INVALID", `.env.template passes ${MAX_LENGTH} characters`);
  }
  const text = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const assignments: Assignment[] = [];
  const problems: string[] = [];
  const lineAt = lineCounter(text);
  let at = nextStatement(text, 0);
  while (at < text.length && problems.length < MAX_PROBLEMS) {
    const line = lineAt(at);
    const statement = readStatement(text, at);
    if (statement.problem !== null) problems.push(`line ${line}: ${statement.problem}`);
    if (statement.name !== null) {
      const { parts, problems: forms } = scanReferences(statement.value);
      problems.push(...forms.map((form) => `line ${line}: ${form.text}`));
      assignments.push({ name: statement.name, parts, line });
    }
    at = nextStatement(text, statement.end);
  }
  const nul = text.indexOf("\0");
  if (nul !== -1) problems.push(`line ${lineCounter(text)(nul)}: holds a NUL byte`);
  if (problems.length === 0) return { assignments };
  throw new AgentError("TEMPLATE_INVALID", `.env.template: ${listProblems(problems)}`);
}

interface Statement {
  readonly name: string | null;
  readonly value: string;
  readonly problem: string | null;
  /** Where the next statement may begin. */
  readonly end: number;
}

function readStatement(text: string, start: number): Statement {
  const lineEnd = endOfLine(text, start);
  if (text[start] === "#") return bad(STRAY_RETURN, lineEnd);
  HEAD.lastIndex = start;
  const head = HEAD.exec(text);
  if (head === null || head[1] === undefined) {
    return bad("is not of the form NAME=value", lineEnd);
  }
  const [, name, blanks = ""] = head;
  const at = HEAD.lastIndex;
  const first = text[at];
  if (first === '"' || first === "'") return readQuotedStatement(text, name, at);
  // compose would take the whole comment for the value.
  if (first === "#" && blanks !== "") {
    return bad("has a comment where its value should be (quote the value)", lineEnd);
  }
  if (hasStrayReturn(text, start)) return bad(STRAY_RETURN, lineEnd);
  const value = text.slice(at, lineEnd).split(" #", 1)[0] ?? "";
  return { name, value: trimEnd(value), problem: null, end: lineEnd };
}

function readQuotedStatement(text: string, name: string, at: number): Statement {
  const quoted = readQuoted(text, at);
  // All that follows stands in the open quote, so nothing more can be said about it.
  if (quoted === null) return bad("opens a quote that nothing closes", text.length);
  const { value, problem } = quoted;
  const lineEnd = endOfLine(text, quoted.end);
  const rest = trimEnd(text.slice(quoted.end, lineEnd));
  // compose drops what stands there, without a word.
  const isDropped = rest !== "" && text[skipSpace(text, quoted.end)] !== "#";
  if (isDropped) return bad("has text after its closing quote", lineEnd);
  return rest.includes("\r") ? bad(STRAY_RETURN, lineEnd) : { name, value, problem, end: lineEnd };
}

function bad(problem: string, end: number): Statement {
  return { name: null, value: "", problem, end };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

function hasStrayReturn(text: string, at: number): boolean {
  return trimEnd(text.slice(at, endOfLine(text, at))).includes("\r");
}

/** Skips white space, empty lines and comment lines; stops at one that hides others. */
function nextStatement(text: string, start: number): number {
  let at = skipSpace(text, start);
  while (text[at] === "#" && !hasStrayReturn(text, at)) at = skipSpace(text, endOfLine(text, at));
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (SPACE.test(text[at] ?? "")) at++;
  return at;
}

// A pattern that ends in `+$` would look at long runs of blanks again and again.
function trimEnd(text: string): string {
  let end = text.length;
  while (SPACE.test(text[end - 1] ?? "")) end--;
  return text.slice(0, end);
}

/** Gives a function from place to line number, from 1; its places must not go back. */
function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let seen = 0;
  return (at) => {
    for (; seen < at; seen++) if (text[seen] === "\n") line++;
    return line;
  };
}
