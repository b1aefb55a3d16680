// What agents sent, kept for tests and for `record`. Bounded, and never a token in clear: a bearer
// is stored as the first half of its SHA-256, and masked wherever else it turns up.

import type { Call, Clock } from "./terms.ts";
import type { Checkin, LeaseRequest, Report } from "./wire.ts";

const MAX_ENTRIES = 10_000;

/** One request. `status` is null until it is answered, and stays so when it never is. */
export interface RecordedRequest {
  /** RFC 3339. */
  readonly at: string;
  /** Null for a request that is none of the four calls. */
  readonly call: Call | null;
  readonly method: string;
  readonly target: string;
  /** Lower-case names; `authorization` is `sha256:` and 32 hex digits of the token's hash. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; null for none or for what does not parse. */
  readonly body: unknown;
  /** The environment that the body or the bearer names; null when neither does. */
  env: string | null;
  status: number | null;
  /** The fault that met it. */
  fault: string | null;
}

/** A report that was accepted. `duplicates` counts how often its `report_id` came again. */
export interface RecordedReport extends Report {
  readonly at: string;
  duplicates: number;
}

/** A check-in that was accepted. */
export interface RecordedCheckin extends Checkin {
  readonly recordedAt: string;
}

/** A lease that was granted: which `jti`, and until when (RFC 3339). */
export interface RecordedLease extends LeaseRequest {
  readonly at: string;
  readonly jti: string;
  readonly expires_at: string;
}

/** Something an agent must not send. */
export interface Violation {
  readonly at: string;
  readonly call: Call | null;
  readonly message: string;
}

/** Everything that was recorded since the start or the last `clear`. Oldest first. */
export class TenancyRecord {
  readonly requests: RecordedRequest[] = [];
  readonly reports: RecordedReport[] = [];
  readonly leases: RecordedLease[] = [];
  readonly checkins: RecordedCheckin[] = [];
  readonly violations: Violation[] = [];
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  /** An empty record; `clock` gives the time of its entries. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Forgets everything. Which `report_id`s were accepted is not part of the record, and stays. */
  clear(): void {
    for (const list of this.#lists()) list.length = 0;
  }

  /** The time of an entry made now, RFC 3339. */
  now(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  /** Tells those who wait that something was added or changed, and drops what is over the bound. */
  touch(): void {
    for (const list of this.#lists()) {
      if (list.length > MAX_ENTRIES) list.splice(0, list.length - MAX_ENTRIES);
    }
    for (const wake of [...this.#waiting]) wake();
  }

  /** Notes a violation. `message` must quote no header value. */
  violate(call: Call | null, message: string): void {
    this.violations.push({ at: this.now(), call, message });
    this.touch();
  }

  /**
   * Waits until `predicate` gives something other than false, null or undefined, and gives that.
   * It is asked now and after every change. Throws `Error` after `deadlineMs`.
   */
  async waitFor<T>(
    predicate: (record: TenancyRecord) => T | false | null | undefined,
    deadlineMs: number,
  ): Promise<T> {
    const end = performance.now() + deadlineMs;
    for (;;) {
      const found = predicate(this);
      if (found !== false && found !== null && found !== undefined) return found;
      const leftMs = end - performance.now();
      if (leftMs <= 0) {
        throw new Error(
          `tenancy was not sent what is waited for within ${deadlineMs} ms: it has ` +
            `${this.requests.length} requests, ${this.reports.length} reports`,
        );
      }
      await this.#nextChange(leftMs);
    }
  }

  #nextChange(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, limitMs);
      this.#waiting.add(wake);
    });
  }

  #lists(): { length: number; splice(start: number, count: number): unknown }[] {
    return [this.requests, this.reports, this.leases, this.checkins, this.violations];
  }
}

/** `sha256:` and the first 32 hex digits of a token's SHA-256: names it without giving it away. */
export async function tokenName(token: string): Promise<string> {
  return `sha256:${(await sha256Hex(new TextEncoder().encode(token))).slice(0, 32)}`;
}

/** SHA-256 in lower-case hex. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return new Uint8Array(digest).toHex();
}
