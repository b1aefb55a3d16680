/**
 * Counts round trips along the longest chain of causes, over all connections of a forwarder: what a
 * client sends knows all that it has heard on any of them, what it hears is one trip later (a Lamport
 * clock). Connections that wait side by side cost one trip together, as they do in time; a slow
 * machine changes nothing, as long as it is faster than the forwarder's delay.
 */

/** What TLS says without expecting an answer is no trip: a farewell, or the one byte of a change of ciphers. */
const ASIDE_BYTES = 24;

/** The clock of one forwarder. */
export class TripClock {
  #now = 0;

  /** Round trips until the last byte that a client heard. */
  get count(): number {
    return this.#now;
  }

  /** Starts again at none. */
  reset(): void {
    this.#now = 0;
  }

  /** A client has dialled: the dial is a trip of its own. Gives the connection's part of the clock. */
  dialled(): ConnectionTrips {
    let sentAt = this.#now + 1;
    return {
      spoke: (sizeBytes) => {
        if (sizeBytes > ASIDE_BYTES) sentAt = Math.max(sentAt, this.#now);
      },
      heard: (sizeBytes) => {
        if (sizeBytes > ASIDE_BYTES) this.#now = Math.max(this.#now, sentAt + 1);
      },
    };
  }
}

/** One connection's part. */
export interface ConnectionTrips {
  /** The client has sent so many bytes: told at once, since it knows nothing that it hears later. */
  readonly spoke: (sizeBytes: number) => void;
  /** So many bytes reached the client. */
  readonly heard: (sizeBytes: number) => void;
}
