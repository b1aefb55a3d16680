/**
 * A container's log as the Engine sends it (facts: docker §1): frames of `[stream, 0, 0, 0, length
 * big-endian]` and bytes without a terminal, plain bytes with one. Decoding only.
 */

const HEADER = 8;

/** Takes a log's body; gives its text, both streams in the order of writing. Never throws. */
export function logText(body: Uint8Array): string {
  const parts = framesOf(body) ?? [body];
  const decoder = new TextDecoder();
  const text = parts.map((part) => decoder.decode(part, { stream: true })).join("");
  return text + decoder.decode();
}

/** Gives the frames' contents, or null when the body is not made of frames: a terminal's bytes. */
function framesOf(body: Uint8Array): readonly Uint8Array[] | null {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const frames: Uint8Array[] = [];
  let at = 0;
  while (at < body.length) {
    if (at + HEADER > body.length) return null;
    const isHeader = view.getUint8(at) <= 2 && (view.getUint32(at) & 0xffffff) === 0;
    if (!isHeader) return null;
    const end = at + HEADER + view.getUint32(at + 4);
    if (end > body.length) return null;
    frames.push(body.subarray(at + HEADER, end));
    at = end;
  }
  return frames;
}
