/**
 * What the stand-in of OpenBao remembers: tokens, aliases, secrets, the role, quotas. Only what the
 * contract list (tests/contract/openbao.ts) holds it to.
 */

/** A service token. */
export interface FakeToken {
  readonly id: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
  /** `sub` of the login; its alias metadata decides what the policy's template allows. */
  readonly alias: string;
  readonly issuedAtMs: number;
  readonly ttlS: number;
  readonly maxTtlS: number;
  expiresAtMs: number;
}

/** One version of a secret. */
export interface FakeVersion {
  data: Readonly<Record<string, unknown>> | null;
  readonly createdAtMs: number;
  deletedAtMs: number | null;
  destroyed: boolean;
}

/** A secret: its versions by number, and how long a new one lives. */
export interface FakeSecret {
  readonly versions: Map<number, FakeVersion>;
  newest: number;
  deleteAfterMs: number | null;
}

/** The role `see-env`. */
export interface FakeRole {
  readonly tokenTtlS: number;
  readonly tokenMaxTtlS: number;
  /** Seconds; -1: none. */
  readonly clockSkewLeewayS: number;
  readonly noDefaultPolicy: boolean;
}

/** A rate limit on a path prefix. */
export interface FakeQuota {
  readonly path: string;
  readonly rate: number;
  readonly intervalMs: number;
  readonly headers: boolean;
  startedAtMs: number;
  used: number;
}

/** Everything. */
export interface FakeState {
  readonly issuer: string;
  readonly publicKey: CryptoKey;
  readonly tokens: Map<string, FakeToken>;
  /** `sub` → env_id of the last login. */
  readonly aliases: Map<string, string | null>;
  readonly secrets: Map<string, FakeSecret>;
  role: FakeRole;
  quota: FakeQuota | null;
  sealed: boolean;
  now(): number;
}

/** The role as the estate sets it. */
export const ESTATE_ROLE: FakeRole = {
  tokenTtlS: 24 * 3600,
  tokenMaxTtlS: 720 * 3600,
  clockSkewLeewayS: 60,
  noDefaultPolicy: false,
};

/** Gives random base62 text of OpenBao's length. */
export function base62(length = 24): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join("");
}

/** Gives a token that has not ended, or null. */
export function livingToken(state: FakeState, id: string | undefined): FakeToken | null {
  const token = id === undefined ? undefined : state.tokens.get(id);
  return token !== undefined && token.expiresAtMs > state.now() ? token : null;
}
