/** PEM texts (RFC 7468): the blocks in them, decoded. Text around blocks is ignored. */

/** One block: what its frame says, e.g. `CERTIFICATE`, and its bytes; null when they are no base64. */
export interface PemBlock {
  readonly label: string;
  readonly bytes: Uint8Array | null;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,64})-----([\s\S]*?)-----END \1-----/g;

/** Takes a text; gives its blocks in order. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(BLOCK)].map(([, label = "", body = ""]) => ({
    label,
    bytes: decoded(body.replaceAll(/\s/g, "")),
  }));
}

function decoded(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
