/**
 * OpenBao's replies (facts: openbao §1) as typed values: unknown JSON in, a value or null out.
 * Null means "not the documented shape"; which code that becomes is the client's business.
 */

import * as z from "zod/mini";
import { lazy } from "./lazy.ts";

/** The `auth` part of a login or renewal. */
export interface BaoAuth {
  /** Empty when OpenBao wants a second factor. */
  readonly clientToken: string;
  readonly accessor: string;
  readonly ttlS: number;
  readonly renewable: boolean;
  /** Requests that the token is good for; 0: any number. */
  readonly uses: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** A login's or renewal's reply: the auth, or a wrapped reply that this agent takes nothing from. */
export type AuthReply =
  | { readonly kind: "auth"; readonly auth: BaoAuth }
  | { readonly kind: "wrapped" };

/** What lookup-self says of a living token. */
export interface TokenLookup {
  /** Seconds it still lives; one that never ends counts as 30 days. */
  readonly ttlS: number;
  /** `meta.env_id` and `meta.grant_jti`; null where the token has none. */
  readonly envId: string | null;
  readonly jti: string | null;
  readonly accessor: string | null;
  /** Epoch seconds by OpenBao's clock; null when it does not say. */
  readonly creationTimeS: number | null;
  /** RFC 3339 by OpenBao's clock; null: it never ends, or OpenBao does not say. */
  readonly expireTime: string | null;
  readonly renewable: boolean;
}

/** What `/v1/sys/health` says, at whatever status. */
export interface HealthReply {
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly standby: boolean;
  /** Epoch seconds by OpenBao's clock. */
  readonly serverTimeS: number;
  readonly version: string;
}

/** One version of a KV v2 secret; `data` is null when it was deleted or destroyed. */
export interface KvVersion {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly version: number;
  readonly deletionTime: string;
  readonly destroyed: boolean;
}

const NEVER_ENDS_S = 30 * 24 * 3600;

const Seconds = z.number().check(z.minimum(0), z.maximum(1e10));
const Texts = z.nullish(z.record(z.string(), z.string()));

const AuthSchema = lazy(() =>
  z.object({
    auth: z.nullish(z.object({
      client_token: z.string(),
      accessor: z.nullish(z.string()),
      lease_duration: Seconds,
      renewable: z.nullish(z.boolean()),
      num_uses: z.nullish(z.number()),
      metadata: Texts,
    })),
    wrap_info: z.nullish(z.unknown()),
    warnings: z.nullish(z.array(z.string())),
  })
);

const LookupSchema = lazy(() =>
  z.object({
    data: z.object({
      ttl: Seconds,
      expire_time: z.nullish(z.string()),
      creation_time: z.nullish(Seconds),
      accessor: z.nullish(z.string()),
      renewable: z.nullish(z.boolean()),
      meta: Texts,
    }),
  })
);

const HealthSchema = lazy(() =>
  z.object({
    initialized: z.boolean(),
    sealed: z.boolean(),
    standby: z.boolean(),
    server_time_utc: Seconds,
    version: z.string(),
  })
);

const KvSchema = lazy(() =>
  z.object({
    data: z.object({
      data: z.nullable(z.custom<Readonly<Record<string, unknown>>>(isRecord)),
      metadata: z.object({
        version: z.int().check(z.minimum(1)),
        deletion_time: z.nullish(z.string()),
        destroyed: z.nullish(z.boolean()),
      }),
    }),
  })
);

const ErrorsSchema = lazy(() => z.object({ errors: z.array(z.string()) }));
const WarningsSchema = lazy(() =>
  z.object({ warnings: z.array(z.string()).check(z.minLength(1)) })
);

/** Reads a login's or renewal's reply. */
export function readAuth(json: unknown): AuthReply | null {
  const parsed = AuthSchema().safeParse(json);
  if (!parsed.success) return null;
  const { auth, wrap_info, warnings } = parsed.data;
  if (wrap_info !== null && wrap_info !== undefined) return { kind: "wrapped" };
  if (auth === null || auth === undefined) return null;
  return {
    kind: "auth",
    auth: {
      clientToken: auth.client_token,
      accessor: auth.accessor ?? "",
      ttlS: auth.lease_duration,
      renewable: auth.renewable ?? false,
      uses: auth.num_uses ?? 0,
      metadata: auth.metadata ?? {},
      warnings: warnings ?? [],
    },
  };
}

/** Reads the reply of lookup-self. */
export function readLookup(json: unknown): TokenLookup | null {
  const parsed = LookupSchema().safeParse(json);
  if (!parsed.success) return null;
  const { ttl, expire_time, creation_time, accessor, renewable, meta } = parsed.data.data;
  return {
    // Only a token without an end has null here, and its ttl is 0 (facts: openbao §1.2).
    ttlS: expire_time === null ? NEVER_ENDS_S : ttl,
    envId: meta?.["env_id"] ?? null,
    jti: meta?.["grant_jti"] ?? null,
    accessor: accessor ?? null,
    creationTimeS: creation_time ?? null,
    expireTime: expire_time ?? null,
    renewable: renewable ?? false,
  };
}

/** Reads the reply of `/v1/sys/health`. */
export function readHealth(json: unknown): HealthReply | null {
  const parsed = HealthSchema().safeParse(json);
  if (!parsed.success) return null;
  const { initialized, sealed, standby, server_time_utc, version } = parsed.data;
  return { initialized, sealed, standby, serverTimeS: server_time_utc, version };
}

/** Reads one version of a KV v2 secret, living or not; null for KV v1 and anything else. */
export function readKvVersion(json: unknown): KvVersion | null {
  const parsed = KvSchema().safeParse(json);
  if (!parsed.success) return null;
  const { data, metadata } = parsed.data.data;
  return {
    data,
    version: metadata.version,
    deletionTime: metadata.deletion_time ?? "",
    destroyed: metadata.destroyed ?? false,
  };
}

/** Gives the texts of an error reply, or null when it is none. */
export function readErrors(json: unknown): readonly string[] | null {
  const parsed = ErrorsSchema().safeParse(json);
  return parsed.success ? parsed.data.errors : null;
}

/** Says whether the reply carries warnings. */
export function hasWarnings(json: unknown): boolean {
  return WarningsSchema().safeParse(json).success;
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
