// What the development tenancy offers to tests and to its command line: types only, no code.

import type { Faults } from "./faults.ts";
import type { TenancyRecord } from "./record.ts";
import type { Clock } from "./terms.ts";
import type { TokenLookup } from "./token_lookup.ts";

/** How a tenancy is started. Everything but the key and the lookup has a default. */
export interface TenancyOptions {
  /** PKCS#8 PEM of the P-256 key that signs grants. */
  readonly keyPem: string;
  /** Says which environment a bearer belongs to; closed by `TenancyHandle.close()`. */
  readonly lookup: TokenLookup;
  /** PKCS#8 PEM of the P-256 key that signs bundles; default: the grants' key. */
  readonly bundleKeyPem?: string;
  /** `iss` of every grant; default `https://tenancy.test`. */
  readonly issuer?: string;
  /** The `Host` that every request must carry; default `monky.tenancy.deploy:443`. */
  readonly expectedHost?: string;
  /** Loopback port to listen on; default 0, a free one. */
  readonly port?: number;
  /** Folder that keeps envs, bundles, grants and leases over a restart; default: memory only. */
  readonly folder?: string;
  /** Clock of `server_time`, grants and the record; default the system's. */
  readonly clock?: Clock;
  /** Clock of the lease budget alone, so that a test can move it; default `clock`. */
  readonly leaseClock?: Clock;
  /** Leases an environment may take within any 60 minutes; default 5. */
  readonly leasesPerHour?: number;
  /** `interval_s` of check-in replies; default: left out. */
  readonly intervalS?: number;
  /** Seconds that a check-in with `wait_s` is held at most; default 60, 0 ignores `wait_s`. */
  readonly maxWaitS?: number;
  /** Milliseconds an OpenBao lookup may take; default 5,000. */
  readonly lookupTimeoutMs?: number;
  /** Called with one line for each request that was answered; default: nobody is told. */
  readonly onRequest?: (line: string) => void;
}

/** One file of a bundle to publish. A bare string or byte array is a file of mode 0644. */
export interface BundleFile {
  readonly content: string | Uint8Array;
  /** Default: `utf8` when the content is valid UTF-8, else `base64`. */
  readonly encoding?: "utf8" | "base64";
  readonly mode?: "0644" | "0755";
}

/** A bundle to publish: path → content. */
export type BundleFiles = Readonly<Record<string, string | Uint8Array | BundleFile>>;

/** How a signature is made; what is left out is made right. For tests of what an agent refuses. */
export interface SignOptions {
  /** PKCS#8 PEM of another key. */
  readonly keyPem?: string;
  /** Replaces or adds claims of the payload `{sha, env_id, serial, iat}`. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The whole signature, used as it is. */
  readonly raw?: string;
}

/** How a bundle is published. */
export interface PublishOptions {
  /** The serial; default one more than the environment's highest; `"none"`: no serial at all. */
  readonly serial?: number | "none";
  /** Sign the bundle; default no. */
  readonly sign?: boolean | SignOptions;
  /** Make it what the environment should run; default yes. */
  readonly desired?: boolean;
  /** Skip the limits, to publish what an agent must refuse; default no. */
  readonly unchecked?: boolean;
}

/** What `publish` gives: the bundle's name, and its serial and signature where it has them. */
export interface Published {
  readonly sha: string;
  readonly serial?: number;
  readonly signature?: string;
}

/** What an environment should run; `unset` until somebody said so (check-ins then get 503). */
export type Desired =
  | { readonly state: "unset" }
  | { readonly state: "absent" }
  | { readonly state: "present"; readonly sha: string; readonly serial?: number };

/** How a grant is made; for tests of what OpenBao or an agent refuses. */
export interface GrantOptions {
  /** Seconds from `iat` to `exp`; default 3,600. */
  readonly ttlS?: number;
  /** Seconds added to the clock, negative for the past; default 0. */
  readonly clockOffsetS?: number;
  /** Replaces or adds claims; `undefined` as a value leaves the claim out. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A grant as issued: the JWT, its `jti`, and its `exp` in RFC 3339. */
export interface IssuedGrant {
  readonly grant: string;
  readonly jti: string;
  readonly expiresAt: string;
}

/** A running tenancy. Every method works while requests come in. */
export interface TenancyHandle {
  /** Where it listens; `hostname` is a loopback address. */
  readonly hostname: string;
  readonly port: number;
  /** The `Host` an agent must send. */
  readonly expectedHost: string;
  /** `iss` of the grants. */
  readonly issuer: string;
  /** SPKI PEM of the keys that verify grants and bundle signatures. */
  readonly grantPublicKeyPem: string;
  readonly bundlePublicKeyPem: string;
  /** The faults that are armed. */
  readonly faults: Faults;
  /** What agents sent. */
  readonly record: TenancyRecord;
  /**
   * Publishes a bundle from files, or from a folder given by its path, and makes it desired.
   * Throws `BundleRefused`, naming every limit it breaks; `TypeError` for a bad `env`.
   */
  publish(
    env: string,
    source: BundleFiles | string,
    options?: PublishOptions,
  ): Promise<Published>;
  /**
   * Answers the bundle call for `sha` with `body` byte for byte, and makes `sha` desired. Nothing
   * is checked. `serial` is what check-ins say; none by default.
   */
  publishRaw(env: string, sha: string, body: string, serial?: number): Promise<void>;
  /** Makes an already published bundle desired again. Throws `Error` for an unknown `sha`. */
  setDesired(env: string, sha: string): Promise<void>;
  /** Makes "nothing runs" desired. */
  setAbsent(env: string): Promise<void>;
  /** What the environment should run. */
  desired(env: string): Desired;
  /** Every environment that tenancy knows, sorted. */
  envs(): string[];
  /**
   * Reveals the kit: supersedes every earlier grant of the environment, revokes the tokens whose
   * accessors are known (best effort), and signs a new bootstrap grant.
   */
  issueBootstrapGrant(env: string, options?: GrantOptions): Promise<IssuedGrant>;
  /** Signs a grant that is not written down and supersedes nothing; for tests of odd grants. */
  signGrant(env: string, options?: GrantOptions): Promise<IssuedGrant>;
  /** How the grants of the next lease replies are made; without options: as usual again. */
  leaseGrants(options?: GrantOptions): void;
  /** Supersedes every grant of the environment and refuses its tokens until the next reveal. */
  retire(env: string): Promise<void>;
  /** Stops listening, cuts open connections, closes the lookup; leaves nothing behind. */
  close(): Promise<void>;
}
