/**
 * The second net: replaces every value that was revealed, in the shapes in which programs print
 * values, in text that is about to leave (logs, reports, errors). The first net is not to put secrets
 * there at all. Pure; remembers values, so keep it inside the process.
 */

import { maskForms, MIN_MASKED_CHARS } from "./mask_forms.ts";
import type { Secret } from "./secret.ts";

const REDACTED = "[redacted]";
const BUCKETS = 1 << 16;
/**
 * How much of a form must stand at the end of a text to count as that form cut off. Shorter would
 * blank innocent words: `postgres` begins many a database URL.
 */
const MIN_CUT_CHARS = 16;

/**
 * Remembers secrets and blanks them out of text. Text is scanned once, position by position: the
 * first four characters choose the few forms that can begin there, so that the cost hardly depends
 * on how many secrets there are (200 secrets make some 10,000 forms; one alternation of them would
 * be tried at every position).
 */
export class Mask {
  readonly #known = new Set<string>();
  /** Forms by their first characters, longest first. */
  readonly #forms = new Map<string, string[]>();
  /** Which hashes of first characters exist: spares most positions the look into the map. */
  readonly #seen = new Uint8Array(BUCKETS);

  /** Remembers a secret's value, its parts, and their printed forms. Values shorter than 4 characters are not remembered. */
  add(secret: Secret): void {
    const value = secret.reveal();
    if (this.#known.has(value)) return;
    this.#known.add(value);
    for (const form of maskForms(value)) this.#remember(form);
  }

  /**
   * Gives the text with every remembered form replaced by [redacted]; forms that overlap become one.
   * A form that line breaks cut into pieces is found too, as base64 wraps what it prints, and one that
   * the end of the text cuts off (16 characters or more are left of it): lines are cut at a limit.
   */
  apply(text: string): string {
    const found = merged([...this.#spans(text), ...this.#spansAcrossLines(text)]);
    const parts: string[] = [];
    let kept = 0;
    for (const { from, to } of found) {
      parts.push(text.slice(kept, from), REDACTED);
      kept = to;
    }
    return parts.length === 0 ? text : [...parts, text.slice(kept)].join("");
  }

  #spans(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (let at = 0; at + MIN_MASKED_CHARS <= text.length; at += 1) {
      const end = this.#endOfForm(text, at);
      if (end >= 0) spans.push({ from: at, to: end });
    }
    return spans;
  }

  #spansAcrossLines(text: string): readonly Span[] {
    if (!text.includes("\n")) return [];
    const { joined, place } = joinLines(text);
    return this.#spans(joined).map(({ from, to }) => ({
      from: place(from),
      to: place(to - 1) + 1,
    }));
  }

  /** Gives where the longest form that begins at the position ends, or -1. */
  #endOfForm(text: string, at: number): number {
    if (this.#seen[hashAt(text, at)] === 0) return -1;
    const forms = this.#forms.get(text.slice(at, at + MIN_MASKED_CHARS)) ?? [];
    const left = text.length - at;
    for (const form of forms) {
      if (text.startsWith(form, at)) return at + form.length;
      if (left >= MIN_CUT_CHARS && form.length > left && form.startsWith(text.slice(at))) {
        return text.length;
      }
    }
    return -1;
  }

  #remember(form: string): void {
    const start = form.slice(0, MIN_MASKED_CHARS);
    const forms = this.#forms.get(start) ?? [];
    if (forms.includes(form)) return;
    forms.push(form);
    forms.sort((a, b) => b.length - a.length);
    this.#forms.set(start, forms);
    this.#seen[hashAt(form, 0)] = 1;
  }
}

/** A stretch of a text, the end not included. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Spans that overlap or touch become one. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) {
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    } else result.push({ from, to });
  }
  return result;
}

/** Gives the text without its line breaks, and where each of the characters left stood. */
function joinLines(
  text: string,
): { readonly joined: string; readonly place: (at: number) => number } {
  const places = new Uint32Array(text.length);
  const lines: string[] = [];
  let count = 0;
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    lines.push(line);
    for (let at = 0; at < line.length; at += 1) places[count++] = index + at;
  }
  return { joined: lines.join(""), place: (at) => places[at] ?? text.length };
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let offset = 0; offset < MIN_MASKED_CHARS; offset += 1) {
    hash = Math.imul(hash, 31) + text.charCodeAt(at + offset);
  }
  return hash & (BUCKETS - 1);
}
