/**
 * Tenancy's replies (SPEC §3) as schemas: unknown fields are ignored, missing or mistyped ones are
 * named. Requests are built here too, so that the spelling of the wire stands in one place.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import type { ServiceStatus } from "./containers.ts";
import type { AgentState } from "./state.ts";
import { lazy } from "./lazy.ts";

/** A bundle's sha: 64 lower-case hex digits. */
export const SHA_PATTERN = /^[0-9a-f]{64}$/;

/** What tenancy wants the box to run. */
export type Desired =
  | { readonly state: "absent" }
  | { readonly state: "present"; readonly sha: string; readonly serial: number | null };

/** The reply to a check-in. `serverTimeMs` is epoch milliseconds. */
export interface CheckinReply {
  readonly envId: string;
  readonly desired: Desired;
  /** Seconds until the next check-in, when tenancy has a wish. */
  readonly intervalS: number | null;
  readonly serverTimeMs: number;
}

/** The reply to a lease: the grant itself is wrapped by the caller at once. */
export interface LeaseReply {
  readonly grant: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

// Many servers write an optional field that has no value as null.
const serial = z.nullish(z.number().check(z.int(), z.nonnegative()));

const desired = z.discriminatedUnion("state", [
  z.object({ state: z.literal("absent") }),
  z.object({
    state: z.literal("present"),
    sha: z.string().check(z.regex(SHA_PATTERN)),
    serial,
  }),
]);

/** RFC 3339 §5.6: T and Z may be written small. */
const time = z.pipe(
  z.pipe(z.string(), z.transform((text) => text.toUpperCase())),
  z.iso.datetime({ offset: true }),
);

const checkin = z.object({
  env_id: z.string(),
  desired,
  interval_s: z.nullish(z.number().check(z.positive())),
  server_time: time,
});

const lease = z.object({ grant: z.string().check(z.minLength(1)), expires_at: time });

const errorBody = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.optional(z.string()) }),
  })
);

/** What an AppRole-era tenancy answered with; any of these in a lease is refused (SPEC §3). */
const LEGACY_FIELDS = ["role_id", "secret_id", "wrapping_token", "wrapped_token", "wrap_info"];

function parse<T>(schema: z.ZodMiniType<T>, reply: unknown, what: string): T {
  const result = z.safeParse(schema, reply);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => issue.path.join(".") || "(the whole reply)");
  const named = [...new Set(fields)].join(", ");
  throw new AgentError(
    "TENANCY_PROTOCOL",
    `tenancy's reply to ${what} has missing or mistyped fields: ${named}`,
  );
}

/** Takes the parsed JSON of a check-in's reply; throws TENANCY_PROTOCOL naming the wrong fields. */
export function parseCheckin(reply: unknown): CheckinReply {
  const value = parse(checkin, reply, "the check-in");
  return {
    envId: value.env_id,
    desired: value.desired.state === "absent"
      ? { state: "absent" }
      : { state: "present", sha: value.desired.sha, serial: value.desired.serial ?? null },
    intervalS: value.interval_s ?? null,
    serverTimeMs: Date.parse(value.server_time),
  };
}

/** Takes the parsed JSON of a lease's reply; throws LEGACY_LEASE_REFUSED or TENANCY_PROTOCOL. */
export function parseLease(reply: unknown): LeaseReply {
  if (typeof reply === "object" && reply !== null) {
    const legacy = LEGACY_FIELDS.filter((field) => field in reply);
    if (legacy.length > 0) {
      throw new AgentError(
        "LEGACY_LEASE_REFUSED",
        `tenancy's lease carries ${
          legacy.join(", ")
        }; this agent takes a signed grant and nothing else`,
      );
    }
  }
  const value = parse(lease, reply, "the lease");
  return { grant: value.grant, expiresAt: Date.parse(value.expires_at) };
}

/** Takes the parsed JSON of an error reply; gives its code, or null when it is no error of tenancy's. */
export function parseErrorCode(reply: unknown): string | null {
  const result = z.safeParse(errorBody(), reply);
  return result.success ? result.data.error.code : null;
}

/** What a check-in tells tenancy. */
export interface CheckinFacts {
  readonly state: AgentState;
  readonly services: readonly ServiceStatus[];
  readonly site: string;
  readonly transport: string;
  readonly agentVersion: string;
  /** Seconds that tenancy may hold the reply back until something changes; null: it answers at once. */
  readonly waitS: number | null;
}

/** Takes what is known of the box; gives the body of a check-in in the wire's spelling. */
export function checkinBody(facts: CheckinFacts): Readonly<Record<string, unknown>> {
  const { applied, failed, envId } = facts.state;
  return {
    env_id: envId,
    site: facts.site,
    agent_version: facts.agentVersion,
    transport: facts.transport,
    applied: applied === null ? null : { sha: applied.sha, serial: applied.serial, at: applied.at },
    failed: failed === null ? null : {
      sha: failed.sha,
      code: failed.code,
      attempts: failed.attempts,
      next_attempt_at: failed.quarantined ? null : new Date(failed.nextAttemptAt).toISOString(),
    },
    services: facts.services,
    ...(facts.waitS === null ? {} : { wait_s: facts.waitS }),
  };
}
