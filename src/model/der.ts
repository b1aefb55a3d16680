/**
 * Reading DER (X.690 §8, §10), as little as certificates and keys need: an element's tag, and where
 * its content lies. Never throws: what is cut or no DER is null.
 */

/** One element. Its content is a view of the bytes that it was read from. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The tags that certificates and keys are made of. */
export const DER = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  /** Context-specific and constructed, number 0 or 1. */
  context0: 0xa0,
  context1: 0xa1,
} as const;

/** Takes bytes; gives the elements in them, in order, or null when they are not elements alone. */
export function derElements(bytes: Uint8Array): readonly DerElement[] | null {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at] ?? 0;
    const length = readLength(bytes, at + 1);
    if (length === null || length.from + length.size > bytes.length) return null;
    const end = length.from + length.size;
    elements.push({ tag, content: bytes.subarray(length.from, end) });
    at = end;
  }
  return elements;
}

/** Takes an element; gives the elements inside when it has the tag (a sequence unless told), else null. */
export function derInside(
  element: DerElement | undefined,
  tag: number = DER.sequence,
): readonly DerElement[] | null {
  return element?.tag === tag ? derElements(element.content) : null;
}

/** Short form below 128, else that many bytes of length; four are more than any file here. */
function readLength(
  bytes: Uint8Array,
  at: number,
): { readonly from: number; readonly size: number } | null {
  const first = bytes[at];
  if (first === undefined) return null;
  if (first < 0x80) return { from: at + 1, size: first };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 1 + count > bytes.length) return null;
  const size = bytes.subarray(at + 1, at + 1 + count)
    .reduce((value, byte) => value * 256 + byte, 0);
  return { from: at + 1 + count, size };
}
