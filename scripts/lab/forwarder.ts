/**
 * A byte forwarder inside the test's own process: counts what passes, and misbehaves on demand.
 * It stands where the mesh stands in production, and in front of the Docker socket.
 */

import { HttpCounter } from "./http_counter.ts";
import { pump } from "./pump.ts";
import { type Resetter, startResetter } from "./resetter.ts";
import { type ConnectionTrips, TripClock } from "./trip_clock.ts";
import { pause, waitFor } from "./wait.ts";

/** Where a forwarder listens or connects: TCP or a unix socket. */
export type Endpoint =
  | { readonly hostname: string; readonly port: number }
  | { readonly path: string };

/** What passed since the start or the last `resetCounts()`. */
export interface Counts {
  /** Accepted connections. */
  connections: number;
  /** Bytes from clients. */
  bytesUp: number;
  /** Bytes to clients. */
  bytesDown: number;
  /** Request lines from clients, in order of their arrival; empty without `countHttp`. */
  requests: string[];
}

/** Switches; set them at any time. They act on new connections, delays and cuts on old ones too. */
export interface Faults {
  /** How late bytes arrive, in milliseconds, each way: 25 makes a round trip of 50. */
  delayMs: number;
  /** How late a connection gets through, as a handshake over a long way would; 0 by default. */
  connectMs: number;
  /** After so many bytes to a client its connection is closed; null: never. */
  cutDownAfter: number | null;
  /** After so many bytes from a client its connection is closed; null: never. */
  cutUpAfter: number | null;
  /** Accept, swallow, never answer. */
  silent: boolean;
}

/** What to forward. */
export interface ForwarderOptions {
  readonly target: Endpoint;
  /** A free port of 127.0.0.1 by default. */
  readonly listen?: Endpoint;
  /** Read request lines: for plain HTTP/1.x only, such as the Docker socket's. */
  readonly countHttp?: boolean;
}

/**
 * A port that was let go of may be the next client's, and stays its for a minute after its end
 * (TIME_WAIT): that much, and some more.
 */
const PORT_BACK_MS = 120_000;

/** A running forwarder. */
export class Forwarder {
  readonly counts: Counts = noCounts();
  readonly faults: Faults = noFaults();
  /** The round trips since the last `resetCounts()`; right while bytes are delayed. */
  readonly trips: TripClock = new TripClock();
  readonly #options: ForwarderOptions;
  #at: Endpoint;
  #listener: Deno.Listener<Deno.Conn> | null;
  #resetter: Resetter | null = null;
  #accepting: Promise<void> = Promise.resolve();
  readonly #open = new Set<Deno.Conn>();
  readonly #work = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  /** @param options see `ForwarderOptions`; it listens when the constructor returns */
  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#at = options.listen ?? { hostname: "127.0.0.1", port: 0 };
    this.#listener = this.#listen();
  }

  /** The TCP port it listens on; 0 for a unix socket. */
  get port(): number {
    return "port" in this.#at ? this.#at.port : 0;
  }

  /** Connections that are not over: a client is there, or its target has yet to answer. */
  get open(): number {
    return this.#work.size;
  }

  /** `127.0.0.1:<port>`, or the path of the unix socket. */
  get address(): string {
    return "port" in this.#at ? `${this.#at.hostname}:${this.#at.port}` : this.#at.path;
  }

  /** Sets all counts to zero. */
  resetCounts(): void {
    Object.assign(this.counts, noCounts());
    this.trips.reset();
  }

  /** Switches all faults off, and serves again when it refused or reset. */
  async heal(): Promise<void> {
    Object.assign(this.faults, noFaults());
    await this.#resetter?.close();
    this.#resetter = null;
    this.#listener ??= await this.#onItsPort(() => Promise.resolve(this.#listen()));
  }

  /**
   * Resets each new connection (RST) as soon as its client has sent something, until `heal()`.
   *
   * @throws Error on a unix socket, which has no resets
   */
  async reset(): Promise<void> {
    if ("path" in this.#at) throw new Error(`${this.address}: a unix socket cannot be reset`);
    await this.refuse();
    const { hostname, port } = this.#at;
    this.#resetter = await this.#onItsPort(() => startResetter(hostname, port));
  }

  /**
   * Stops listening: new connections are refused until `heal()`, and a unix socket's file is gone.
   * Open ones go on.
   */
  async refuse(): Promise<void> {
    this.#listener?.close();
    this.#listener = null;
    // The kernel goes on accepting until the pending accept has let go of the socket.
    await this.#accepting;
  }

  /** Closes the connections that are open now; new ones are served. */
  dropConnections(): void {
    for (const conn of this.#open) closeQuietly(conn);
  }

  /** Stops listening, closes every connection, and waits until nothing is left open. */
  async close(): Promise<void> {
    await this.refuse();
    await this.#resetter?.close();
    this.#resetter = null;
    this.#closing.abort();
    this.dropConnections();
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** For `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #onItsPort<T>(listen: () => Promise<T>): Promise<T> {
    return waitFor(`listening on ${this.address} again`, PORT_BACK_MS, listen);
  }

  #listen(): Deno.Listener<Deno.Conn> {
    const at = this.#at;
    if ("path" in at) {
      return this.#accept(Deno.listen({ transport: "unix", path: at.path }));
    }
    const listener = Deno.listen({ hostname: at.hostname, port: at.port });
    this.#at = { hostname: at.hostname, port: listener.addr.port };
    return this.#accept(listener);
  }

  #accept(listener: Deno.Listener<Deno.Conn>): Deno.Listener<Deno.Conn> {
    this.#accepting = (async () => {
      for await (const conn of listener) {
        this.counts.connections++;
        sendAtOnce(conn);
        this.#track(this.#serve(conn));
      }
    })().catch(() => {});
    return listener;
  }

  #track(work: Promise<void>): void {
    // A connection that fails is the client's business; the forwarder goes on.
    const settled = work.catch(() => {}).finally(() => this.#work.delete(settled));
    this.#work.add(settled);
  }

  async #serve(client: Deno.Conn): Promise<void> {
    this.#open.add(client);
    const trips = this.trips.dialled();
    try {
      if (this.faults.silent) return await this.#swallow(client);
      await pause(this.faults.connectMs, this.#closing.signal);
      await this.#forward(client, trips);
    } finally {
      this.#open.delete(client);
      closeQuietly(client);
    }
  }

  async #forward(client: Deno.Conn, trips: ConnectionTrips): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const target = await connect(this.#options.target);
    this.#open.add(target);
    const counter = this.#options.countHttp === true
      ? new HttpCounter((line) => this.counts.requests.push(line))
      : null;
    const { counts, faults } = this;
    const shared = {
      delayMs: (): number => faults.delayMs,
      signal: this.#closing.signal,
      onCut: (): void => {
        closeQuietly(client);
        closeQuietly(target);
      },
    };
    const passed = { up: 0, down: 0 };
    const up = pump(client, target, {
      ...shared,
      onRead: trips.spoke,
      admit: (chunk) => {
        counter?.push(chunk);
        const count = allowed(faults.cutUpAfter, passed.up, chunk.length);
        passed.up += count;
        counts.bytesUp += count;
        return count;
      },
    });
    const down = pump(target, client, {
      ...shared,
      admit: (chunk) => {
        trips.heard(chunk.length);
        const count = allowed(faults.cutDownAfter, passed.down, chunk.length);
        passed.down += count;
        counts.bytesDown += count;
        return count;
      },
    });
    try {
      await Promise.all([up, down]);
    } finally {
      this.#open.delete(target);
      closeQuietly(target);
    }
  }

  async #swallow(client: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const count = await client.read(buffer);
      if (count === null) return;
      this.counts.bytesUp += count;
    }
  }
}

/**
 * Starts a forwarder.
 *
 * @param options see `ForwarderOptions`
 * @returns it, listening
 * @throws Deno.errors.AddrInUse when the given port is taken
 */
export function startForwarder(options: ForwarderOptions): Forwarder {
  return new Forwarder(options);
}

function noCounts(): Counts {
  return { connections: 0, bytesUp: 0, bytesDown: 0, requests: [] };
}

function noFaults(): Faults {
  return {
    delayMs: 0,
    connectMs: 0,
    cutDownAfter: null,
    cutUpAfter: null,
    silent: false,
  };
}

/** How many of the next bytes may pass. */
function allowed(limit: number | null, passed: number, count: number): number {
  return limit === null ? count : Math.max(0, Math.min(count, limit - passed));
}

async function connect(target: Endpoint): Promise<Deno.Conn> {
  if ("path" in target) return await Deno.connect({ transport: "unix", path: target.path });
  const conn = await Deno.connect(target);
  sendAtOnce(conn);
  return conn;
}

/** The only delays are the ones that were asked for: TCP would hold small pieces back for 40 ms. */
function sendAtOnce(conn: Deno.Conn): void {
  if ("setNoDelay" in conn) (conn as Deno.TcpConn).setNoDelay(true);
}

function closeQuietly(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // Closed already.
  }
}
