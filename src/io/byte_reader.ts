/**
 * Buffered reading from a duplex: a message head, a line, an exact number of bytes. Knows where the
 * bytes stop, nothing about what they mean; every wait for a terminator is bounded by a byte limit.
 */

import type { Duplex } from "./duplex.ts";

const BUFFER_BYTES = 64 * 1024;
const CR = 0x0d;
const LF = 0x0a;

/** Why a head or a line could not be read: the stream ended, the limit passed, a newline without CR. */
export type ReadFault = "end" | "long" | "bare";

/** Reads one direction of a duplex. The buffer is the limit of a head: 64 KiB. */
export class ByteReader {
  readonly #duplex: Duplex;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #from = 0;
  #to = 0;
  #received = 0;

  constructor(duplex: Duplex) {
    this.#duplex = duplex;
  }

  /** Gives how many bytes came that nobody has taken yet. */
  get buffered(): number {
    return this.#to - this.#from;
  }

  /** Gives the bytes that came and that nobody has taken yet. */
  get rest(): Uint8Array {
    return this.#buffer.subarray(this.#from, this.#to);
  }

  /** Gives how many bytes came in all, taken or not. */
  get received(): number {
    return this.#received;
  }

  /** Gives the first bytes that came, at most `count`, waiting for one at least; empty at the end. */
  async peek(count: number): Promise<Uint8Array> {
    if (this.buffered === 0) await this.#fill();
    return this.#buffer.subarray(this.#from, Math.min(this.#from + count, this.#to));
  }

  /**
   * Takes bytes up to and with the terminator CRLF (`lines: 1`) or an empty line, CRLF CRLF
   * (`lines: 2`), and gives them without it, or why they do not come. Each LF must follow a CR.
   */
  async until(lines: 1 | 2, maxBytes = BUFFER_BYTES): Promise<Uint8Array | ReadFault> {
    let seen = 0;
    for (;;) {
      const end = Math.min(this.buffered, maxBytes);
      for (; seen < end; seen += 1) {
        if (this.#at(seen) !== LF) continue;
        if (this.#at(seen - 1) !== CR) return "bare";
        const empty = seen === 1 || this.#at(seen - 2) === LF;
        if (lines === 2 && !empty) continue;
        return this.#take(seen + 1).slice(0, lines === 1 || seen === 1 ? -2 : -4);
      }
      if (seen >= maxBytes) return "long";
      if (!await this.#fill()) return "end";
    }
  }

  /** Fills the target with the next bytes; gives false when the stream ends before it is full. */
  async exactly(target: Uint8Array): Promise<boolean> {
    let done = 0;
    while (done < target.length) {
      if (this.buffered === 0 && !await this.#fill()) return false;
      const part = this.#take(Math.min(this.buffered, target.length - done));
      target.set(part, done);
      done += part.length;
    }
    return true;
  }

  #at(offset: number): number | undefined {
    return offset < 0 ? undefined : this.#buffer[this.#from + offset];
  }

  #take(count: number): Uint8Array {
    const part = this.#buffer.subarray(this.#from, this.#from + count);
    this.#from += count;
    return part;
  }

  /** Reads once more behind what is buffered; gives false at the end of the stream. */
  async #fill(): Promise<boolean> {
    if (this.#from > 0) {
      this.#buffer.copyWithin(0, this.#from, this.#to);
      this.#to -= this.#from;
      this.#from = 0;
    }
    const count = await this.#duplex.read(this.#buffer.subarray(this.#to));
    if (count === null || count === 0) return false;
    this.#to += count;
    this.#received += count;
    return true;
  }
}
