/** Moves the bytes of one direction of one connection, late if it must be. */

import { pause } from "./wait.ts";

/** Something bytes come from and go to: a TCP or unix connection. */
export type Stream = Deno.Conn;

/** What `pump` asks about each chunk; read anew every time, so that switches act at once. */
export interface PumpHooks {
  /** How late the bytes arrive, in milliseconds. */
  delayMs(): number;
  /** Told how many bytes came, before they are late. */
  onRead?(sizeBytes: number): void;
  /** Told what is about to be sent on; gives how much of it may pass, fewer means cut after them. */
  admit(chunk: Uint8Array): number;
  /** Called when the connection must end at once; closes both streams. */
  onCut(): void;
  /** Aborted: nothing is late any more. */
  readonly signal: AbortSignal;
}

/** Bytes on their way; more than this and the sender is made to wait. */
const MAX_IN_FLIGHT = 16 * 1024 * 1024;

/** How a direction ends: `end` is an orderly half-close, `cut` wants both sides closed now. */
type PumpEnd = "end" | "cut";

/**
 * Copies from one stream to the other until the end. A delay shifts every byte by the same time and
 * does not slow the flow: reading goes on while earlier bytes still wait.
 *
 * @param from read until its end
 * @param to written to; its writing side is closed after an orderly end
 * @param hooks see `PumpHooks`
 * @returns once nothing of this direction is pending; an error of either stream is a cut
 */
export async function pump(from: Stream, to: Stream, hooks: PumpHooks): Promise<void> {
  const queue = new DelayQueue(hooks.signal);
  const reading = readInto(queue, from, hooks);
  // Closing the streams is also what ends a read that waits.
  if (await writeFrom(queue, to, hooks) === "cut") hooks.onCut();
  await reading;
}

async function readInto(queue: DelayQueue, from: Stream, hooks: PumpHooks): Promise<void> {
  const buffer = new Uint8Array(64 * 1024);
  try {
    for (;;) {
      const count = await from.read(buffer);
      if (count === null) break;
      hooks.onRead?.(count);
      await queue.put(buffer.slice(0, count), hooks.delayMs());
    }
    queue.finish("end", hooks.delayMs());
  } catch {
    queue.finish("cut", 0);
  }
}

async function writeFrom(queue: DelayQueue, to: Stream, hooks: PumpHooks): Promise<PumpEnd> {
  try {
    for (;;) {
      const item = await queue.take();
      if (typeof item === "string") {
        if (item === "end") await to.closeWrite();
        return item;
      }
      const admitted = hooks.admit(item);
      await writeAll(to, item.subarray(0, admitted));
      if (admitted < item.length) return "cut";
    }
  } catch {
    return "cut";
  } finally {
    queue.abandon();
  }
}

async function writeAll(to: Stream, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
}

/** Chunks with the time at which each is due; one producer, one consumer. */
class DelayQueue {
  readonly #items: { readonly value: Uint8Array | PumpEnd; readonly due: number }[] = [];
  readonly #signal: AbortSignal;
  #bytes = 0;
  #isAbandoned = false;
  #wakeConsumer: () => void = () => {};
  #wakeProducer: () => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async put(chunk: Uint8Array, delayMs: number): Promise<void> {
    while (this.#bytes > MAX_IN_FLIGHT && !this.#isAbandoned) {
      await new Promise<void>((resolve) => this.#wakeProducer = resolve);
    }
    this.#bytes += chunk.length;
    this.#add(chunk, delayMs);
  }

  finish(end: PumpEnd, delayMs: number): void {
    this.#add(end, delayMs);
  }

  async take(): Promise<Uint8Array | PumpEnd> {
    let item = this.#items.shift();
    while (item === undefined) {
      await new Promise<void>((resolve) => this.#wakeConsumer = resolve);
      item = this.#items.shift();
    }
    const wait = item.due - performance.now();
    await pause(wait, this.#signal);
    if (typeof item.value !== "string") this.#bytes -= item.value.length;
    this.#wakeProducer();
    return item.value;
  }

  /** The consumer is gone: whoever waits for room must not wait for ever. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#wakeProducer();
  }

  #add(value: Uint8Array | PumpEnd, delayMs: number): void {
    this.#items.push({ value, due: performance.now() + delayMs });
    this.#wakeConsumer();
  }
}
