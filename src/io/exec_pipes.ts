/**
 * What becomes of a child's output: standard output is kept up to a limit, standard error is cut
 * into lines. Memory stays flat whatever the child prints.
 */

const MAX_LINE_BYTES = 8 * 1024;
const MAX_TAIL_LINES = 200;
const MAX_TAIL_BYTES = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;

/** Keeps the start of standard output. */
export interface OutputSink {
  readonly take: (chunk: Uint8Array) => void;
  readonly bytes: () => Uint8Array;
  readonly truncated: () => boolean;
}

/** Cuts standard error into lines and keeps the last ones. */
export interface LineSink {
  readonly take: (chunk: Uint8Array) => void;
  /** Ends a last line that has no newline. */
  readonly finish: () => void;
  readonly tail: () => readonly string[];
}

/** Feeds a child's stream to a sink until it ends or the signal says that nobody waits for it any longer. */
export async function pump(
  stream: ReadableStream<Uint8Array>,
  take: (chunk: Uint8Array) => void,
  signal: AbortSignal,
): Promise<void> {
  // One buffer for all of it: a new one for each chunk outruns the garbage collector.
  const reader = stream.getReader({ mode: "byob" });
  let buffer = new Uint8Array(CHUNK_BYTES);
  const giveUp = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read(buffer);
      if (done || value === undefined || signal.aborted) return;
      take(value);
      buffer = new Uint8Array(value.buffer);
    }
  } catch {
    // The pipe broke: what came until then stands.
  } finally {
    signal.removeEventListener("abort", giveUp);
    await reader.cancel().catch(() => {});
  }
}

/** Gives a sink that keeps at most `maxBytes` and drops the rest. */
export function createOutputSink(maxBytes: number): OutputSink {
  let kept = new Uint8Array(Math.min(maxBytes, 16 * 1024));
  let used = 0;
  let dropped = false;
  return {
    take: (chunk): void => {
      const part = chunk.subarray(0, maxBytes - used);
      dropped ||= part.length < chunk.length;
      if (used + part.length > kept.length) {
        const larger = new Uint8Array(
          Math.min(maxBytes, Math.max(kept.length * 2, used + part.length)),
        );
        larger.set(kept);
        kept = larger;
      }
      kept.set(part, used);
      used += part.length;
    },
    bytes: () => kept.subarray(0, used),
    truncated: () => dropped,
  };
}

/** Gives a sink that hands each line on (invalid UTF-8 replaced, cut at 8 KiB) and keeps the last 200 lines and 64 KiB. */
export function createLineSink(onLine: (line: string) => void): LineSink {
  const line = new Uint8Array(MAX_LINE_BYTES);
  const decoder = new TextDecoder();
  const kept: { readonly text: string; readonly sizeBytes: number }[] = [];
  let used = 0;
  let tailBytes = 0;
  let open = false;

  const endLine = (): void => {
    const text = decoder.decode(line.subarray(0, used)).replace(/\r$/, "");
    kept.push({ text, sizeBytes: used });
    tailBytes += used;
    while (kept.length > MAX_TAIL_LINES || tailBytes > MAX_TAIL_BYTES) {
      tailBytes -= kept.shift()?.sizeBytes ?? 0;
    }
    used = 0;
    open = false;
    onLine(text);
  };
  const append = (part: Uint8Array): void => {
    const room = part.subarray(0, MAX_LINE_BYTES - used);
    line.set(room, used);
    used += room.length;
    open = true;
  };
  return {
    take: (chunk): void => {
      for (let at = 0; at < chunk.length;) {
        const end = chunk.indexOf(LF, at);
        append(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (end < 0) return;
        endLine();
        at = end + 1;
      }
    },
    finish: (): void => {
      if (open) endLine();
    },
    tail: () => kept.map(({ text }) => text),
  };
}
