/**
 * Connections that are opened while the exchange before them is still under way, so that the reads
 * behind a login find them ready: together they take five round trips instead of eight (OpenBao's TLS
 * takes two: tls.ts). They carry no byte of a request until `many` takes them; one that died until
 * then is never used.
 *
 * A handshake that nobody answers leaves its socket open (tls.ts): after an exchange that found no
 * way there are no spares until one has found its way again, so that an outage costs them once.
 */

import type { ErrorData } from "../errors.ts";
import type { Peer } from "../ports.ts";
import type { ConnectionOptions } from "./connection.ts";
import { closeQuietly, type Duplex } from "./duplex.ts";

/** How long spares wait for their reads once the exchange is over; servers close silent ones. */
const SPARE_LIFE_MS = 5_000;

/** The way that spares are made: as the connection's they will be. */
export type SpareWay = Pick<ConnectionOptions, "dial" | "secure">;

/** The spares of one port: those of one exchange at a time. */
export class Spares {
  #peer: Peer | null = null;
  #spares: readonly Spare[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isTrusted = true;

  /** Begins to open so many connections; those of an earlier exchange are closed. */
  open(peer: Peer, count: number, way: SpareWay): void {
    this.close();
    if (!this.#isTrusted) return;
    this.#peer = peer;
    this.#spares = Array.from({ length: count }, () => new Spare(way));
  }

  /** The exchange has its answer, and its reads may come. */
  succeeded(): void {
    this.#isTrusted = true;
    if (this.#spares.length > 0) this.#timer = setTimeout(() => this.close(), SPARE_LIFE_MS);
  }

  /** The exchange failed, and nothing comes behind it. */
  failed(phase: ErrorData[string] | undefined): void {
    if (phase === "dial" || phase === "tls") this.#isTrusted = false;
    this.close();
  }

  /** Gives up to `count` that are alive, each to one connection, and closes the others. */
  take(peer: Peer, count: number): readonly Spare[] {
    if (peer !== this.#peer) return [];
    const alive = this.#spares.filter((spare) => spare.isAlive).slice(0, count);
    this.#spares = this.#spares.filter((spare) => !alive.includes(spare));
    this.close();
    return alive;
  }

  /** Closes what nobody has taken. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const spare of this.#spares) spare.end();
    this.#spares = [];
  }
}

/** One connection that is being opened, or is open and silent. */
class Spare {
  readonly #abort = new AbortController();
  readonly #dialled: Promise<Duplex>;
  readonly #ready: Promise<SilentDuplex>;
  #hasFailed = false;
  #silent: SilentDuplex | null = null;

  constructor({ dial, secure }: SpareWay) {
    const { signal } = this.#abort;
    this.#dialled = dial(signal);
    this.#ready = this.#open(secure);
    // A failure is told to whoever takes it, or to nobody.
    for (const step of [this.#dialled, this.#ready]) step.catch(() => this.#hasFailed = true);
  }

  get isAlive(): boolean {
    return !this.#hasFailed && this.#silent?.isOver !== true;
  }

  /** Gives the steps of the connection that takes it: they throw what dial and TLS threw. */
  get way(): SpareWay {
    return {
      dial: async (signal) => {
        signal.addEventListener("abort", () => this.end(), { once: true });
        return await this.#dialled;
      },
      secure: () => this.#ready,
    };
  }

  end(): void {
    this.#abort.abort();
    for (const step of [this.#dialled, this.#ready]) step.then(closeQuietly, () => {});
  }

  async #open(secure: SpareWay["secure"]): Promise<SilentDuplex> {
    const duplex = await this.#dialled;
    const { signal } = this.#abort;
    signal.throwIfAborted();
    const open = secure === null ? duplex : await secure(duplex, signal);
    this.#silent = new SilentDuplex(open);
    return this.#silent;
  }
}

/** Listens while nothing is asked: a peer that closes, or speaks unasked, is noticed before it is used. */
class SilentDuplex implements Duplex {
  readonly #duplex: Duplex;
  readonly #byte = new Uint8Array(1);
  #ahead: Promise<number | null> | null;
  #isOver = false;

  constructor(duplex: Duplex) {
    this.#duplex = duplex;
    this.#ahead = duplex.read(this.#byte);
    this.#ahead.then(() => this.#isOver = true, () => this.#isOver = true);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async read(into: Uint8Array): Promise<number | null> {
    const ahead = this.#ahead;
    if (ahead === null) return await this.#duplex.read(into);
    this.#ahead = null;
    const count = await ahead;
    if (count !== null) into.set(this.#byte.subarray(0, count));
    return count;
  }

  write(bytes: Uint8Array): Promise<number> {
    return this.#duplex.write(bytes);
  }

  close(): void {
    this.#duplex.close();
  }
}
