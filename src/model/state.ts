/**
 * What the agent remembers between ticks: state.json (the deploy side) and session.json (the token
 * side). Values only; state_parse.ts reads them, core/settle.ts makes the next ones.
 */

import type { Released, ServiceStatus } from "./containers.ts";
import type { SecretVersion } from "./bundle.ts";
import type { GrantClaims } from "./grant.ts";
import type { Secret } from "./secret.ts";

/** How an apply ended, as tenancy is told. */
export type ReportResult = "applied" | "failed" | "removed" | "repaired" | "restored";

/** One executed step, as tenancy is told. */
export interface StepReport {
  readonly action: string;
  readonly ms: number;
  readonly ok: boolean;
}

/** A report on its way to tenancy (SPEC §3); kept until tenancy has it. */
export interface Report {
  readonly report_id: string;
  readonly env_id: string;
  readonly sha: string | null;
  readonly serial: number | null;
  readonly result: ReportResult;
  readonly code?: string;
  readonly detail?: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly agent_version: string;
  readonly token_source: "bootstrap" | "lease" | null;
  readonly steps: readonly StepReport[];
  readonly services: readonly ServiceStatus[];
  readonly secrets: readonly SecretVersion[];
}

/** A release that was applied. Times are RFC 3339, UTC. */
export interface AppliedRelease {
  readonly sha: string;
  readonly serial: number | null;
  readonly at: string;
}

/** A release that could not be applied, and when it is tried again. */
export interface FailedRelease {
  readonly sha: string;
  readonly code: string;
  /** What tenancy was told, so that it can be read on the box too. */
  readonly detail?: string;
  /** What the operator does next; not there in what an older version wrote. */
  readonly hint?: string;
  /** At least 1. */
  readonly attempts: number;
  /** Epoch milliseconds of the failure, to tell a clock that jumped. */
  readonly at: number;
  /** Epoch milliseconds. */
  readonly nextAttemptAt: number;
  /** The last good release was brought back: not tried again until another sha, or `--now`. */
  readonly quarantined: boolean;
}

/** An apply that has begun and not ended: the next tick must converge whatever it finds. */
export interface Applying {
  readonly sha: string;
  /** The step that ran last. */
  readonly step: string;
  readonly since: string;
}

/** The version that a compose plugin told, and which file it was. */
export interface KnownCompose {
  readonly path: string;
  /** What tells this file from one that replaced it. */
  readonly identity: string;
  /** E.g. `2.26.1-4`. */
  readonly version: string;
}

/** state.json, version 1. */
export interface AgentState {
  readonly envId: string;
  readonly project: string;
  /** So that the same file is not run for its version again; not there: it has to be asked. */
  readonly compose?: KnownCompose | undefined;
  readonly applied: AppliedRelease | null;
  /** The services of `applied` as they ran when it was healthy. */
  readonly released: Released | null;
  readonly secrets: readonly SecretVersion[];
  /** Releases applied before, newest last, the current one included; at most 50. */
  readonly history: readonly AppliedRelease[];
  readonly failed: FailedRelease | null;
  readonly applying: Applying | null;
  /** Epoch milliseconds of the last repairs, and of applies of what was applied; at most 16. */
  readonly repairs: readonly number[];
  /** Reports that tenancy does not have yet, oldest first; at most 32. */
  readonly outbox: readonly Report[];
}

/** An OpenBao token and what is known of it. */
export interface Token {
  readonly value: Secret;
  readonly accessor: string;
  readonly source: "bootstrap" | "lease";
  /** The `jti` of the grant it was exchanged for. */
  readonly jti: string;
  /** That grant's `iat` in epoch seconds, tenancy's clock; 0 when it had none. */
  readonly grantIatS: number;
  /** Epoch milliseconds at which OpenBao last said how long the token lives. */
  readonly checkedAt: number;
  /** Epoch milliseconds at which it ends, by that answer. */
  readonly expiresAt: number;
  /** Seconds that the last login or renewal gave, to notice a renewal that comes back short. */
  readonly ttlS: number;
}

/** A token that was replaced and still has to be revoked. */
export interface OldToken {
  readonly value: Secret;
  readonly accessor: string;
}

/** A leased grant whose login OpenBao could not answer: as good as new until `expS`. */
export interface UnspentGrant {
  readonly value: Secret;
  readonly claims: GrantClaims;
}

/** Failures in a row, and the earliest next try (epoch milliseconds). */
export interface Pacing {
  readonly failures: number;
  readonly notBefore: number;
}

/** The most old tokens that a session keeps for their revocation. */
export const MAX_REVOKE = 8;
/** The most used bootstrap grants that a session remembers. */
export const MAX_CONSUMED = 32;

/** session.json, version 1: the token and what belongs to it. */
export interface Session {
  readonly envId: string;
  readonly token: Token | null;
  /** Old tokens until their revocation is confirmed, oldest first; at most MAX_REVOKE. */
  readonly revoke: readonly OldToken[];
  /** `jti`s of bootstrap grants that were used, oldest first; at most MAX_CONSUMED. */
  readonly consumed: readonly string[];
  /** Null: no lease is waiting for its login. */
  readonly unspent: UnspentGrant | null;
  /** Renewals that failed. */
  readonly renewal: Pacing;
  /** Revocations of old tokens that failed. */
  readonly revocation: Pacing;
}

/** Gives the state of a box on which nothing was applied yet. */
export function emptyState(envId: string, project: string): AgentState {
  return {
    envId,
    project,
    applied: null,
    released: null,
    secrets: [],
    history: [],
    failed: null,
    applying: null,
    repairs: [],
    outbox: [],
  };
}

/** Gives the session of a box that has no token yet. */
export function emptySession(envId: string): Session {
  return {
    envId,
    token: null,
    revoke: [],
    consumed: [],
    unspent: null,
    renewal: { failures: 0, notBefore: 0 },
    revocation: { failures: 0, notBefore: 0 },
  };
}
