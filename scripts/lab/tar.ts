/** A tar archive in memory, just what `docker import` and a release need. */

/** One entry of an archive: a file when `content` is there, a symbolic link when `link` is. */
export interface TarEntry {
  /** Relative path, below 100 bytes: `bin/sh`. */
  readonly path: string;
  readonly content?: Uint8Array | string;
  /** Target of a symbolic link. */
  readonly link?: string;
  /** Permission bits; 0o644 by default. */
  readonly mode?: number;
  /** When it was changed last, in seconds since 1970; 0 by default. */
  readonly mtimeS?: number;
}

const BLOCK = 512;

/**
 * Packs entries; they belong to root, and missing parent folders are left to the reader.
 *
 * @param entries in the archive's order; an entry with neither content nor link is a folder
 * @returns the archive (ustar)
 * @throws RangeError when a path or a link is too long
 */
export function packTar(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const blocks: Uint8Array[] = [];
  for (const entry of entries) {
    const content = typeof entry.content === "string"
      ? new TextEncoder().encode(entry.content)
      : entry.content ?? new Uint8Array();
    blocks.push(header(entry, content.length), content);
    blocks.push(new Uint8Array((BLOCK - content.length % BLOCK) % BLOCK));
  }
  blocks.push(new Uint8Array(2 * BLOCK));
  const archive = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let offset = 0;
  for (const block of blocks) {
    archive.set(block, offset);
    offset += block.length;
  }
  return archive;
}

function header(entry: TarEntry, size: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (offset: number, length: number, text: string): void => {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > length) throw new RangeError(`tar: too long: ${text}`);
    block.set(bytes, offset);
  };
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0");
  const type = entry.link !== undefined ? "2" : entry.content !== undefined ? "0" : "5";
  put(0, 100, entry.path);
  put(100, 8, octal(entry.mode ?? (type === "0" ? 0o644 : 0o755), 7));
  put(108, 8, octal(0, 7));
  put(116, 8, octal(0, 7));
  put(124, 12, octal(size, 11));
  put(136, 12, octal(entry.mtimeS ?? 0, 11));
  put(148, 8, " ".repeat(8));
  put(156, 1, type);
  put(157, 100, entry.link ?? "");
  put(257, 8, "ustar\u000000");
  // The checksum is taken with its own field full of spaces, as above.
  put(148, 8, `${octal(block.reduce((sum, byte) => sum + byte, 0), 6)}\u0000 `);
  return block;
}
