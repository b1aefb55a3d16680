/**
 * One connection from dial to close, under one deadline: whatever ends it, the caller gets an
 * AgentError that tells how far it came, and the connection, its timer and its pending writes are
 * gone. Requests are written once, while the answer is already being read, so that a peer that
 * answers early or reads slowly cannot lock the two against each other.
 */

import { AgentError } from "../errors.ts";
import { ByteReader } from "./byte_reader.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";
import { readReply, type WireReply } from "./http1.ts";
import { lateAlert } from "./tls_faults.ts";
import type { Faults, Phase } from "./wire_faults.ts";

/** How a connection is made and how long it may live. */
export interface ConnectionOptions {
  readonly faults: Faults;
  /** What closing before a byte of the answer means, as the rest of a sentence. */
  readonly dropped: string;
  /** Limit for everything, dialling included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly dial: (signal: AbortSignal) => Promise<Duplex>;
  /** Adds TLS, or null for plain HTTP. */
  readonly secure: ((duplex: Duplex, signal: AbortSignal) => Promise<Duplex>) | null;
}

/** An open connection. */
export interface Connection {
  /** Starts writing the bytes, once. */
  send(bytes: Uint8Array): void;
  /** Reads one reply; every failure is an AgentError. */
  receive(maxBodyBytes: number): Promise<WireReply>;
  /** Gives the bytes that came behind the last reply: an honest peer sends none. */
  readonly surplus: Uint8Array;
}

type End = "timeout" | "stopped";

/** Opens a connection, lends it to `use`, and closes it. Gives what `use` gives. Throws AgentErrors only. */
export async function withConnection<T>(
  options: ConnectionOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const open = new OpenConnection(options);
  try {
    await open.connect();
    return await use(open);
  } catch (thrown) {
    throw open.explain(thrown);
  } finally {
    await open.close();
  }
}

class OpenConnection implements Connection {
  readonly #options: ConnectionOptions;
  readonly #abort = new AbortController();
  readonly #deadline: AbortSignal;
  readonly #expire = (): void => this.#end("timeout");
  readonly #stop = (): void => this.#end("stopped");
  #ended: End | null = null;
  #phase: Phase = "dial";
  #duplex: Duplex | null = null;
  #reader: ByteReader | null = null;
  #sending: Promise<void> = Promise.resolve();
  /** How many bytes had come when the head of the reply was whole, those behind it not counted. */
  #headEnd = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    // Not setTimeout: the first mention of it costs a process 5 ms, this 0.4 ms (Deno 2.9.6,
    // measured). Without a listener its timer keeps no process alive.
    this.#deadline = AbortSignal.timeout(options.timeoutMs);
    this.#deadline.addEventListener("abort", this.#expire, { once: true });
    options.signal?.addEventListener("abort", this.#stop, { once: true });
    if (options.signal?.aborted === true) this.#end("stopped");
  }

  get surplus(): Uint8Array {
    return this.#reader?.rest ?? new Uint8Array();
  }

  async connect(): Promise<void> {
    this.#abort.signal.throwIfAborted();
    await this.#adopt(this.#options.dial(this.#abort.signal));
    const { secure } = this.#options;
    if (secure !== null && this.#duplex !== null) {
      this.#phase = "tls";
      await this.#adopt(secure(this.#duplex, this.#abort.signal));
    }
    if (this.#duplex !== null) this.#reader = new ByteReader(this.#duplex);
  }

  send(bytes: Uint8Array): void {
    this.#phase = "send";
    this.#sending = this.#writeAll(bytes).catch(() => {
      // Reading tells the outcome: an answer that came anyway, or the same broken connection.
    });
  }

  async receive(maxBodyBytes: number): Promise<WireReply> {
    const { faults, dropped } = this.#options;
    try {
      if (this.#reader === null) throw faults.unavailable(this.#phase, dropped);
      if (this.#phase === "body") this.#phase = "headers";
      const reader = this.#reader;
      const onPhase = (phase: Phase): void => {
        this.#phase = phase;
        this.#headEnd = reader.received - reader.buffered;
      };
      return await readReply(reader, { faults, maxBodyBytes, dropped, onPhase });
    } catch (thrown) {
      throw this.explain(thrown);
    }
  }

  /** Takes whatever was thrown; gives the AgentError that says why the exchange ended. */
  explain(thrown: unknown): AgentError {
    const { faults, dropped, timeoutMs } = this.#options;
    if (this.#ended === "timeout") return faults.timeout(this.#phase, timeoutMs);
    if (this.#ended === "stopped") return faults.interrupted(this.#phase);
    if (thrown instanceof AgentError) return thrown;
    const alert = lateAlert(thrown, faults);
    if (alert !== null) return alert;
    const what = this.#phase === "body" ? this.#brokeOff(thrown) : dropped;
    return faults.unavailable(this.#phase, what, { cause: thrown });
  }

  #brokeOff(thrown: unknown): string {
    // What the runtime's TLS says of an end without a farewell: somebody between the two cut.
    if (thrown instanceof Deno.errors.UnexpectedEof) {
      return "was cut off in the middle of its answer, below TLS";
    }
    const hasBegun = (this.#reader?.received ?? 0) > this.#headEnd;
    return `broke off ${hasBegun ? "in the middle of its answer" : "between head and body"}`;
  }

  async close(): Promise<void> {
    this.#deadline.removeEventListener("abort", this.#expire);
    this.#options.signal?.removeEventListener("abort", this.#stop);
    closeQuietly(this.#duplex);
    await this.#sending;
  }

  #end(how: End): void {
    this.#ended ??= how;
    this.#abort.abort();
    closeQuietly(this.#duplex);
  }

  /** Waits for a stream, but not past the end; one that comes too late is closed when it comes. */
  async #adopt(coming: Promise<Duplex>): Promise<void> {
    const { signal } = this.#abort;
    const late = Promise.withResolvers<never>();
    const onAbort = (): void => late.reject(new Error("the connection was ended"));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      this.#duplex = await Promise.race([coming, late.promise]);
      signal.throwIfAborted();
    } catch (thrown) {
      if (signal.aborted) coming.then(closeQuietly, () => {});
      throw thrown;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && this.#duplex !== null;) {
      const count = await this.#duplex.write(bytes.subarray(at));
      if (count === 0) throw new Error("the stream takes no more bytes");
      at += count;
    }
    if (this.#phase === "send") this.#phase = "headers";
  }
}
