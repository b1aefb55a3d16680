// What the agent gets when a fault meets its request: another reply, or a good one told badly.

import type { FaultKind, FaultSpec } from "./faults.ts";
import { errorReply, jsonReply, type Reply } from "./reply.ts";
import type { Call } from "./terms.ts";

/** Faults that tell a good reply badly; the request takes effect. The others prevent it. */
const AFTER_EFFECT: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "other_env",
  "slow",
  "drip",
  "lost_answer",
  "cut_body",
  "reset_body",
  "short_length",
  "missing_field",
  "mistyped_field",
  "extra_fields",
  "wrong_content_type",
  "huge_body",
  "gzip_body",
]);

const STATUS_FAULTS: Partial<Record<FaultKind, readonly [number, string]>> = {
  unauthenticated: [401, "AGENT_UNAUTHENTICATED"],
  env_mismatch: [403, "AGENT_ENV_MISMATCH"],
  rate_limited: [429, "LEASE_RATE_LIMITED"],
  not_found: [404, "BUNDLE_NOT_FOUND"],
  internal: [500, "INTERNAL"],
  bad_gateway: [502, "BAD_GATEWAY"],
  unavailable: [503, "TENANCY_UNAVAILABLE"],
};

const DEFAULT_FIELD: Record<Call, string> = {
  checkin: "desired",
  bundle: "files",
  lease: "grant",
  report: "",
};

/** Whether the request is processed before the fault shows. */
export function takesEffect(fault: FaultSpec): boolean {
  return AFTER_EFFECT.has(fault.kind) || (fault.kind === "legacy_lease" && fault.field === "mixed");
}

/**
 * The reply that a fault gives instead of processing the request; null for a fault that takes effect
 * or that is no reply at all (reset, never_answer, garbage and their like).
 */
export function replyInstead(fault: FaultSpec): Reply | null {
  const armed = `the fault ${fault.kind} is armed`;
  if (fault.kind === "status") {
    return errorReply(fault.status ?? 500, fault.code ?? "INTERNAL", armed);
  }
  const status = STATUS_FAULTS[fault.kind];
  if (status !== undefined) return errorReply(status[0], status[1], armed);
  if (fault.kind === "legacy_lease") return jsonReply(201, legacyLease(fault.field));
  return null;
}

/** Changes a good reply the way the fault says; gives back the same one for all other faults. */
export function distortReply(reply: Reply, fault: FaultSpec, call: Call): Reply {
  switch (fault.kind) {
    case "missing_field":
      return editField(reply, fault.field ?? DEFAULT_FIELD[call], null);
    case "mistyped_field":
      return editField(reply, fault.field ?? DEFAULT_FIELD[call], mistype);
    case "extra_fields":
      return addFields(reply, { x_unknown: { nested: [1, "two", null] }, x_flag: true });
    case "legacy_lease":
      return addFields(reply, legacyFields());
    case "other_env":
      return call === "bundle" ? addFields(reply, { env_id: "env-somebody-else" }) : reply;
    default:
      return reply;
  }
}

/** The names under which a legacy tenancy hands out AppRole credentials. */
function legacyFields(): Record<string, unknown> {
  return {
    role_id: "00000000-0000-4000-8000-000000000001",
    secret_id: "00000000-0000-4000-8000-000000000002",
    wrapping_token: "s.legacywrappingtokenlegacy",
    wrapped_token: "s.legacywrappingtokenlegacy",
    wrap_info: { token: "s.legacywrappingtokenlegacy", ttl: 300 },
  };
}

function legacyLease(field: string | undefined): Record<string, unknown> {
  const all = legacyFields();
  const chosen = field === undefined ? all : { [field]: all[field] ?? "legacy" };
  return { ...chosen, expires_at: "2030-01-01T00:00:00Z" };
}

function mistype(value: unknown): unknown {
  return typeof value === "number" ? "seven" : 7;
}

function addFields(reply: Reply, fields: Record<string, unknown>): Reply {
  const json = parseObject(reply.body);
  if (json === null) return reply;
  if (isObject(json["desired"])) Object.assign(json["desired"], fields);
  return { ...reply, body: JSON.stringify({ ...json, ...fields }) };
}

/** Drops a field (`change` null) or changes its value; the empty path is the whole reply. */
function editField(
  reply: Reply,
  path: string,
  change: ((value: unknown) => unknown) | null,
): Reply {
  if (path === "") return { ...reply, body: change === null ? "null" : "[]" };
  const json = parseObject(reply.body);
  const keys = path.split(".");
  const last = keys.pop();
  let holder: unknown = json;
  for (const key of keys) holder = isObject(holder) ? holder[key] : null;
  if (!isObject(holder) || last === undefined) return reply;
  if (change === null) delete holder[last];
  else holder[last] = change(holder[last]);
  return { ...reply, body: JSON.stringify(json) };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
