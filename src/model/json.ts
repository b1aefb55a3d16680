/**
 * Reads JSON that others wrote, strictly: UTF-8, bounded depth, no key twice (two readers could see
 * two values). Errors never quote the input: the text may hold secrets (SPEC §5).
 */

import { AgentError, type Code, type ErrorData } from "../errors.ts";

/** Default for `maxDepth`: far above every document of SPEC §3, far below any stack. */
const MAX_DEPTH = 64;

/** What a document is called in errors, and which code its faults get. */
export interface JsonOptions {
  readonly code: Code;
  /** Begins every message, e.g. `manifest.json` or `the reply to the check-in`. */
  readonly what: string;
  /** Levels of arrays and objects; 64 when not given. */
  readonly maxDepth?: number;
  /** What accompanies a fault: where the document came from and its size, never a part of it. */
  readonly data?: ErrorData;
}

/**
 * Takes a document as bytes or text, gives its value. A byte order mark in front is tolerated
 * (RFC 8259 §8.1). Throws `options.code` when it is not UTF-8, not JSON, too deep, or names a key
 * of one object twice.
 */
export function parseJson(source: Uint8Array | string, options: JsonOptions): unknown {
  const text = typeof source === "string" ? source.replace(/^\ufeff/, "") : decode(source, options);
  const fault = findFault(text, options.maxDepth ?? MAX_DEPTH);
  if (fault !== null) throw faultOf(options, fault);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, so it is dropped.
    throw faultOf(options, "is not JSON");
  }
}

function decode(bytes: Uint8Array, options: JsonOptions): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw faultOf(options, "is not UTF-8");
  }
}

function faultOf({ code, what, data = {} }: JsonOptions, fault: string): AgentError {
  return new AgentError(code, `${what} ${fault}`, { data });
}

/**
 * Looks for what JSON.parse would let pass: too many levels, a key twice. Faults of grammar are
 * left to the parser, so the scan only needs to be right about texts that the parser accepts.
 */
function findFault(text: string, maxDepth: number): string | null {
  /** One entry per open level: the keys so far, or null for an array. */
  const levels: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "{":
        levels.push(new Set());
        break;
      case "[":
        levels.push(null);
        break;
      case "}":
      case "]":
        levels.pop();
        break;
      case '"': {
        const end = endOfString(text, at);
        const keys = levels.at(-1);
        if (keys && isKey(text, end)) {
          const key = text.slice(at, end);
          const name = key.includes("\\") ? unescaped(key) : key.slice(1, -1);
          if (keys.has(name)) return "names a key twice";
          keys.add(name);
        }
        at = end - 1;
        break;
      }
    }
    if (levels.length > maxDepth) return `nests deeper than ${maxDepth} levels`;
  }
  return null;
}

/** Gives the place after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = start;
  for (;;) {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
}

/** A string is a key when a colon follows it. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (" \t\n\r".includes(text[at] ?? "x")) at++;
  return text[at] === ":";
}

function unescaped(key: string): string {
  try {
    return String(JSON.parse(key));
  } catch {
    return key;
  }
}
