/**
 * What the bridge says on its standard output: one JSON object a line, three kinds. Anything else is
 * garbage, and garbage means that the addon, or whatever runs in the bridge's place, is not to be
 * trusted any further. Memory stays flat whatever comes.
 */

/** The codes that the bridge may give. */
export const BRIDGE_CODES = [
  "ZITI_IDENTITY",
  "ZITI_UNAVAILABLE",
  "ZITI_SERVICE_UNAVAILABLE",
  "ZITI_TIMEOUT",
  "ZITI_BRIDGE_FAILED",
] as const;

/** One of the bridge's codes. */
export type BridgeCode = (typeof BRIDGE_CODES)[number];

/** A line of the bridge. */
export type BridgeWord =
  | { readonly say: "ready" }
  | { readonly say: "listening" }
  | { readonly say: "failed"; readonly code: BridgeCode; readonly what: string }
  | { readonly say: "garbage" };

const MAX_LINE_BYTES = 1024;
const LF = 0x0a;

/** Takes a text; says whether it is one of the bridge's codes. */
export function isBridgeCode(text: unknown): text is BridgeCode {
  return BRIDGE_CODES.some((code) => code === text);
}

/** Takes a sentence of the bridge; gives it when it is short and printable, else a plain one. */
export function plainSentence(what: unknown): string {
  return typeof what === "string" && /^[\x20-\x7e]{1,200}$/.test(what) ? what : "it gave no reason";
}

/** Gives a sink for the bridge's output that hands each word on; after garbage nothing more. */
export function createWordSink(onWord: (word: BridgeWord) => void): (chunk: Uint8Array) => void {
  const line = new Uint8Array(MAX_LINE_BYTES);
  let used = 0;
  let over = false;
  const give = (word: BridgeWord): void => {
    over = word.say === "garbage";
    onWord(word);
  };
  return (chunk): void => {
    for (const byte of chunk) {
      if (over) return;
      if (byte === LF) {
        give(readWord(new TextDecoder().decode(line.subarray(0, used))));
        used = 0;
      } else if (used === MAX_LINE_BYTES) {
        give({ say: "garbage" });
      } else {
        line[used] = byte;
        used += 1;
      }
    }
  };
}

function readWord(text: string): BridgeWord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { say: "garbage" };
  }
  if (typeof value !== "object" || value === null || !("say" in value)) return { say: "garbage" };
  if (value.say === "ready" || value.say === "listening") return { say: value.say };
  if (value.say !== "failed" || !("code" in value) || !isBridgeCode(value.code)) {
    return { say: "garbage" };
  }
  return {
    say: "failed",
    code: value.code,
    what: plainSentence("what" in value ? value.what : null),
  };
}
