/**
 * The bytes under HTTP: the smallest shape that a TCP, TLS or unix connection and a test's pair have
 * in common, and how it is closed for good. No framing, no deadline.
 */

/** A connected byte stream. Closing it makes pending reads and writes fail. */
export interface Duplex {
  /** Fills the buffer from its start; gives how many bytes, or null at the end of the stream. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes a part of the bytes; gives how many. */
  write(bytes: Uint8Array): Promise<number>;
  /** Closes both directions. */
  close(): void;
}

/** Closes a stream that may be closed already, or whose resource went over to TLS. */
export function closeQuietly(duplex: Duplex | null): void {
  try {
    duplex?.close();
  } catch {
    // Closed before: that is what was wanted.
  }
}
