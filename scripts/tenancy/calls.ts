// The four calls of protocol v1, behind the checks of check_request.ts and bearer.ts.

import type { AgentRequest } from "./check_request.ts";
import type { GrantRegister } from "./grants.ts";
import type { LeaseBudget } from "./lease_budget.ts";
import type { TenancyRecord } from "./record.ts";
import { jsonReply, Refusal, type Reply } from "./reply.ts";
import type { Signals } from "./signals.ts";
import type { Store } from "./store.ts";
import type { Clock } from "./terms.ts";
import type { Desired, GrantOptions } from "./types.ts";
import type { Checkin, LeaseRequest, Report } from "./wire.ts";

/** The longest that a check-in is held (docs/PROTOCOL.md). */
export const MAX_WAIT_S = 60;

/** What the calls work with. */
export interface CallParts {
  readonly store: Store;
  readonly grants: GrantRegister;
  readonly budget: LeaseBudget;
  readonly record: TenancyRecord;
  readonly clock: Clock;
  /** Fires for an environment whose desired state changed. */
  readonly changes: Signals;
  readonly intervalS: number | null;
  /** Seconds that a check-in is held at most. */
  readonly maxWaitS: number;
  /** How lease grants are made just now. */
  readonly leaseGrants: () => GrantOptions | undefined;
}

/** What the connection adds to a request. */
export interface CallContext {
  /** The bearer's environment. */
  readonly env: string;
  /** Fires when the agent hangs up. */
  readonly hungUp: AbortSignal;
  /** The fault asks for a reply that is about this environment instead. */
  readonly otherEnv: string | null;
}

/** Answers one admitted request. Throws `Refusal` for 404, 429 and 503. */
export function answerCall(
  parts: CallParts,
  request: AgentRequest,
  context: CallContext,
): Promise<Reply> {
  switch (request.call) {
    case "checkin":
      return checkin(parts, request.body, context);
    case "bundle":
      return bundle(parts, request.sha, context);
    case "lease":
      return lease(parts, request.body, context);
    case "report":
      return report(parts, request.body, context);
  }
}

/** What an environment should run, with the serial of its bundle. */
export function desiredOf(store: Store, env: string): Desired {
  const state = store.find(env);
  if (state === null) return { state: "unset" };
  const { desired, serials } = state;
  if (desired.state !== "present") return desired;
  const serial = serials[desired.sha] ?? null;
  return { state: "present", sha: desired.sha, ...(serial === null ? {} : { serial }) };
}

async function checkin(parts: CallParts, body: Checkin, context: CallContext): Promise<Reply> {
  parts.record.checkins.push({ ...body, recordedAt: parts.record.now() });
  parts.record.touch();
  const waitS = Math.min(body.wait_s ?? 0, parts.maxWaitS);
  if (waitS > 0 && !hasNews(body, desiredOf(parts.store, context.env))) {
    await parts.changes.wait(context.env, waitS * 1000, context.hungUp);
  }
  const desired = desiredOf(parts.store, context.env);
  if (desired.state === "unset") {
    // Never "absent" as a guess: an agent takes its services down for that word.
    throw new Refusal(
      503,
      "TENANCY_UNAVAILABLE",
      `nobody has said what ${context.env} should run: publish a bundle, or set it absent`,
    );
  }
  return jsonReply(200, {
    env_id: context.otherEnv ?? context.env,
    desired,
    ...(parts.intervalS === null ? {} : { interval_s: parts.intervalS }),
    server_time: new Date(parts.clock.now()).toISOString(),
  });
}

/** Whether a check-in is answered at once although it may wait: the agent has something to do. */
function hasNews(body: Checkin, desired: Desired): boolean {
  if (desired.state === "unset") return true;
  if (desired.state === "absent") return body.applied !== null;
  return desired.sha !== body.applied?.sha && desired.sha !== body.failed?.sha;
}

async function bundle(parts: CallParts, sha: string, context: CallContext): Promise<Reply> {
  const body = await parts.store.getBundle(context.env, sha);
  if (body === null) {
    throw new Refusal(404, "BUNDLE_NOT_FOUND", `${context.env} has no bundle ${sha}`);
  }
  return { status: 200, body };
}

async function lease(parts: CallParts, body: LeaseRequest, context: CallContext): Promise<Reply> {
  const { env } = context;
  const waitMs = parts.budget.take(env);
  if (waitMs > 0) {
    throw new Refusal(
      429,
      "LEASE_RATE_LIMITED",
      `${env} used up its leases; the next one is free in ${Math.ceil(waitMs / 1000)} s`,
    );
  }
  const issued = context.otherEnv === null
    ? await parts.grants.issueLease(env, parts.leaseGrants())
    : await parts.grants.sign(context.otherEnv, parts.leaseGrants());
  parts.record.leases.push({
    ...body,
    at: parts.record.now(),
    jti: issued.jti,
    expires_at: issued.expiresAt,
  });
  parts.record.touch();
  return jsonReply(201, { grant: issued.grant, expires_at: issued.expiresAt });
}

async function report(parts: CallParts, body: Report, context: CallContext): Promise<Reply> {
  const { reportIds } = parts.store.env(context.env);
  if (reportIds.includes(body.report_id)) {
    noteDuplicate(parts.record, body);
  } else {
    reportIds.push(body.report_id);
    parts.record.reports.push({ ...body, at: parts.record.now(), duplicates: 0 });
    await parts.store.save(parts.clock.now());
  }
  parts.record.touch();
  return jsonReply(202, {});
}

function noteDuplicate(record: TenancyRecord, body: Report): void {
  const first = record.reports.find((report) =>
    report.report_id === body.report_id && report.env_id === body.env_id
  );
  if (first === undefined) return;
  first.duplicates += 1;
  const { at: _at, duplicates: _duplicates, ...sent } = first;
  // A report that was accepted stays accepted (202); that it changed meanwhile is a mistake.
  if (canonical(sent) !== canonical(body)) {
    record.violate("report", "a report_id came again with other content");
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}
