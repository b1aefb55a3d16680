/**
 * Text that came from a child, a container or a server, made fit for one line of a log or report:
 * no escape sequence, no control character, bounded (case 41). Rendering only; secrets are masked
 * by whoever knows them.
 */

const ESCAPES =
  // deno-lint-ignore no-control-regex
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])|\x9b[0-?]*[ -/]*[@-~]/g;
// Bidirectional overrides and separators would let a container rearrange a terminal's line.
const CONTROLS =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Takes any text; gives it on one line, without escapes and controls. A tab becomes a blank. */
export function plainText(text: string): string {
  return text.replace(ESCAPES, "").replace(CONTROLS, "").replaceAll("\t", " ").trimEnd();
}

/** Takes a text and a limit in UTF-16 units; gives its beginning, marked when something is cut. */
export function headOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Takes lines and a limit in UTF-8 bytes, line ends included; gives the last lines that fit. A last
 * line that is too long alone keeps its end, marked.
 */
export function lastLines(lines: readonly string[], maxBytes: number): readonly string[] {
  const encoder = new TextEncoder();
  const kept: string[] = [];
  let left = maxBytes;
  for (const line of lines.toReversed()) {
    const size = encoder.encode(line).length + 1;
    if (size > left) {
      if (kept.length === 0) kept.push(endOf(line, maxBytes));
      break;
    }
    kept.push(line);
    left -= size;
  }
  return kept.reverse();
}

function endOf(line: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(line);
  const end = bytes.slice(Math.max(0, bytes.length - Math.max(0, maxBytes - 4)));
  // A cut inside a character leaves continuation bytes at the front.
  const first = end.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return `…${new TextDecoder().decode(first === -1 ? new Uint8Array() : end.slice(first))}`;
}
