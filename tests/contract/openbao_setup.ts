/**
 * What the contract list needs of an OpenBao, real or not: a way in through the agent's own HTTP
 * port, and an administrator's hands.
 */

import type { Clock, Http } from "../../src/ports.ts";

/** A rate limit on every path below `monky/`. */
export interface QuotaSetting {
  readonly rate: number;
  readonly intervalS: number;
  /** Whether 429 carries Retry-After. */
  readonly headers: boolean;
}

/** An OpenBao as SPEC §5 expects it: mount `jwt-tenancy`, role `see-env`, KV v2 `monky`. */
export interface BaoSetup {
  /** Answers requests whose peer is `bao`. */
  readonly http: Http;
  /** The time that the server and the client live in. */
  readonly clock: Clock;
  /** A token with the policy `tenancy`. */
  readonly tenancyToken: string;
  /** Writes a version below the env's `see/`; gives its number. */
  putSecret(
    envId: string,
    path: string,
    data: Readonly<Record<string, unknown>>,
  ): Promise<number>;
  deleteVersion(envId: string, path: string, version: number): Promise<void>;
  destroyVersion(envId: string, path: string, version: number): Promise<void>;
  /** Versions written from now on delete themselves after so many seconds. */
  deleteAfter(envId: string, path: string, seconds: number): Promise<void>;
  /** Signs a grant as tenancy does; `undefined` leaves a claim out. `key: "other"`: a wrong key. */
  signGrant(
    envId: string,
    overrides?: Readonly<Record<string, string | number | undefined>>,
    key?: "other",
  ): Promise<string>;
  /** Sets the role to the estate's with overrides (`token_ttl`, `token_max_ttl`, …); `{}` resets. */
  configureRole(overrides: Readonly<Record<string, string | number | boolean>>): Promise<void>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
  /** Ends the server and starts it on the same storage, unsealed. */
  restart(): Promise<void>;
  /** Sets or removes the rate limit. */
  quota(setting: QuotaSetting | null): Promise<void>;
}

/** One thing that holds of every OpenBao. */
export interface Check {
  readonly name: string;
  run(setup: BaoSetup): Promise<void>;
}
