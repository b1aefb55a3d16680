/**
 * Reads one quoted value of an env file the way compose does: in single quotes only `\'` means
 * something, in double quotes the escapes below, and a quote may span lines.
 */

/** A quoted value, read. */
export interface Quoted {
  /** Text whose references are still to be read; every dollar of a single-quoted one is doubled. */
  readonly value: string;
  readonly problem: string | null;
  /** The place after the closing quote. */
  readonly end: number;
}

/** What compose takes for an escape in double quotes; any other backslash means itself. */
const ESCAPE = /\\[abfnrtv$"\\0]/g;

const ESCAPED: Readonly<Record<string, string>> = {
  "\\a": "\x07",
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
  "\\v": "\v",
  // The references are read after the escapes; a doubled dollar is a dollar there.
  "\\$": "$$",
  '\\"': '"',
  "\\\\": "\\",
};

const OCTAL = 'uses an octal escape ("\\0"), which versions of compose read differently';

/** Takes a text and the place of a quote in it; gives the value, or null when nothing closes it. */
export function readQuoted(text: string, start: number): Quoted | null {
  const quote = text[start];
  let at = start + 1;
  for (; text[at] !== quote; at++) {
    if (at >= text.length) return null;
    if (text[at] === "\\") at++;
  }
  const inner = text.slice(start + 1, at);
  const end = at + 1;
  if (quote === "'") {
    const value = inner.replaceAll("\\'", "'").replaceAll("$", "$$$$");
    return { value, problem: null, end };
  }
  let problem: string | null = null;
  const value = inner.replace(ESCAPE, (escape) => {
    if (escape === "\\0") problem = OCTAL;
    return ESCAPED[escape] ?? escape;
  });
  return { value, problem, end };
}
