// Wakes long polls: whoever waits for a name is woken when that name fires.

import { sleep } from "./sleep.ts";

/** Named events without a payload and without a memory. */
export class Signals {
  readonly #waiting = new Map<string, Set<AbortController>>();

  /** Wakes everybody who waits for `name` now. */
  fire(name: string): void {
    for (const waiter of this.#waiting.get(name) ?? []) waiter.abort();
  }

  /** Waits for `name`, for `ms` at most, and no longer than until `cancel` fires. */
  async wait(name: string, ms: number, cancel: AbortSignal): Promise<void> {
    const waiter = new AbortController();
    const group = this.#waiting.get(name) ?? new Set<AbortController>();
    this.#waiting.set(name, group.add(waiter));
    try {
      await sleep(ms, AbortSignal.any([waiter.signal, cancel]));
    } finally {
      group.delete(waiter);
      if (group.size === 0) this.#waiting.delete(name);
    }
  }
}
