// How many leases an environment may take: a sliding window of 60 minutes.

import type { Store } from "./store.ts";
import type { Clock } from "./terms.ts";

const WINDOW_MS = 3_600_000;

/** Counts leases by environment. The counts live in the store, so a restart keeps them. */
export class LeaseBudget {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #perHour: number;

  /** `perHour` leases within any 60 minutes of `clock`. */
  constructor(store: Store, clock: Clock, perHour: number) {
    this.#store = store;
    this.#clock = clock;
    this.#perHour = perHour;
  }

  /** Takes one lease and gives 0, or takes none and gives the milliseconds until one is free. */
  take(env: string): number {
    const now = this.#clock.now();
    const state = this.#store.env(env);
    state.leases = state.leases.filter((at) => at > now - WINDOW_MS);
    if (state.leases.length < this.#perHour) {
      state.leases.push(now);
      return 0;
    }
    const oldest = state.leases[state.leases.length - this.#perHour] ?? now;
    return oldest + WINDOW_MS - now;
  }
}
