/**
 * Writes bytes to one of the process's own streams, in full, and never throws: a log line or a
 * printed result must not decide how a tick ends.
 */

/** What is written to: standard output or standard error. */
export interface SyncWriter {
  /** Writes a part of the bytes; gives how many. */
  writeSync(bytes: Uint8Array): number;
}

/** Writes all bytes; gives up silently when the stream is closed, full or broken. */
export function writeFully(writer: SyncWriter, bytes: Uint8Array): void {
  try {
    for (let at = 0; at < bytes.length;) at += writer.writeSync(bytes.subarray(at));
  } catch {
    // EPIPE, EBADF, ENOSPC, EAGAIN: there is nobody left to tell.
  }
}
