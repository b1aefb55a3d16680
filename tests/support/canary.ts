/**
 * Values that can be found again. Every stretch of a value between characters that programs quote,
 * cut or double is a marker of its own, of letters and digits: JSON, URLs, shells and compose's `$$`
 * leave it as it is, so that one search for it covers them all, and parts of a value too. Only base64
 * hides it, in three alignments; those are searched for as well, and so is every value as a whole.
 */

/** A value and its markers. */
export interface Canary {
  readonly value: string;
  readonly markers: readonly string[];
}

/** Takes a text with `@` where a marker goes; gives a value that no other has a part of. */
export function canary(pattern: string): Canary {
  const markers: string[] = [];
  const value = pattern.replaceAll("@", () => {
    const marker = `Cnry${crypto.randomUUID().replaceAll("-", "").slice(0, 14)}`;
    markers.push(marker);
    return marker;
  });
  return { value, markers };
}

/** A canary that was not made here, such as the lab's registry account: it is its own marker. */
export function givenCanary(value: string): Canary {
  return { value, markers: [value] };
}

/** Takes canaries; gives every byte string that would give one away, in latin-1. */
export function needles(canaries: readonly Canary[]): readonly string[] {
  const found = new Set<string>();
  for (const { value, markers } of canaries) {
    for (const marker of markers) {
      for (const form of [marker, ...base64Forms(marker)]) found.add(form);
    }
    const json = JSON.stringify(value).slice(1, -1);
    const shown = [value, json, value.replaceAll("$", "$$$$"), encodeURIComponent(value)];
    for (const form of [...shown, ...base64Forms(value)]) found.add(latin1(form));
  }
  return [...found];
}

/** The characters that stand for the text alone when it begins at the first, second or third byte. */
function base64Forms(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const whole = padded.toBase64({ omitPadding: true });
    return whole.slice(shift === 0 ? 0 : shift + 1, Math.floor((padded.length * 8) / 6));
  });
}

/** Takes text or bytes; gives them one character a byte, so that what is no UTF-8 is searched too. */
export function latin1(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}
