// The bodies an agent may send, field by field. Strict: an unknown key is an error, since a field
// that only this tenancy understands would be lost in the field without a word.

import * as z from "zod/mini";

const Sha = z.string().check(z.regex(/^[0-9a-f]{64}$/, "64 lower-case hex digits"));
const EnvId = z.string().check(z.regex(/^[a-z0-9-]{1,63}$/, "[a-z0-9-], at most 63"));
const Time = z.iso.datetime({ offset: true });
const Count = z.int().check(z.nonnegative());
const Positive = z.int().check(z.positive());
const Serial = z.nullable(Count);
const Code = z.string().check(z.regex(/^[A-Z][A-Z0-9_]{1,63}$/, "CAPITALS_AND_UNDERSCORES"));
const Text = z.string().check(z.minLength(1), z.maxLength(1024));

/** Semantic version, as `agent_version` and the User-Agent carry it. */
export const SEMVER = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;
const Version = z.string().check(z.regex(SEMVER, "a semantic version"));

const serviceFields = {
  name: Text,
  state: z.enum([
    "created",
    "running",
    "restarting",
    "paused",
    "exited",
    "removing",
    "dead",
    "missing",
  ]),
  health: z.nullable(z.enum(["healthy", "unhealthy", "starting"])),
  image: z.string().check(z.maxLength(1024)),
  restarts: z.optional(Count),
};

/** Body of `POST /agent/v1/checkin`. */
export const CheckinBody = z.strictObject({
  env_id: EnvId,
  site: EnvId,
  agent_version: Version,
  transport: z.enum(["sdk", "proxy", "system"]),
  applied: z.nullable(z.strictObject({ sha: Sha, serial: Serial, at: Time })),
  failed: z.nullable(z.strictObject({
    sha: Sha,
    code: Code,
    attempts: Positive,
    next_attempt_at: z.nullable(Time),
  })),
  services: z.array(z.strictObject(serviceFields)),
  wait_s: z.optional(Count),
});

/** Body of `POST /agent/v1/leases`. */
export const LeaseBody = z.strictObject({ env_id: EnvId, reason: z.enum(["apply", "renew"]) });

/** Codes of refusals; their reports repeat the code at the head of `detail`. */
const REFUSALS = [
  "AGENT_TOO_OLD",
  "BIND_MISSING",
  "BUNDLE_ENV_MISMATCH",
  "BUNDLE_SIGNATURE_INVALID",
  "BUNDLE_UNSIGNED",
  "DISK_INSUFFICIENT",
  "ENV_INCOMPLETE",
  "ENV_RESERVED",
  "LEGACY_LEASE_REFUSED",
  "POLICY_DENIED",
  "ROLLBACK_REFUSED",
  "TEMPLATE_INVALID",
];

/** Body of `POST /agent/v1/reports`. */
export const ReportBody = z.strictObject({
  report_id: z.string().check(z.regex(/^[0-9A-Za-z_-]{8,128}$/, "8 to 128 of [0-9A-Za-z_-]")),
  env_id: EnvId,
  sha: z.nullable(Sha),
  serial: Serial,
  result: z.enum(["applied", "failed", "removed", "repaired", "restored"]),
  code: z.optional(Code),
  detail: z.optional(z.string()),
  started_at: Time,
  finished_at: Time,
  agent_version: Version,
  token_source: z.nullable(z.enum(["bootstrap", "lease"])),
  steps: z.array(z.strictObject({ action: Text, ms: Count, ok: z.boolean() })),
  services: z.array(z.strictObject({ ...serviceFields, logs: z.optional(z.string()) })),
  secrets: z.array(z.strictObject({
    var: z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable")),
    version: Positive,
  })),
}).check(z.superRefine((report, context) => {
  const { result, sha, code, detail } = report;
  const complain = (path: string, message: string): void => {
    context.addIssue({ code: "custom", path: [path], message });
  };
  if (sha === null && result !== "removed" && result !== "failed") {
    complain("sha", `a report of ${result} names its bundle`);
  }
  if (result === "failed" && code === undefined) complain("code", "a failed report has a code");
  if (code !== undefined && REFUSALS.includes(code) && !detail?.startsWith(code)) {
    complain("detail", `a refusal's detail begins with ${code}`);
  }
  if (Date.parse(report.finished_at) < Date.parse(report.started_at)) {
    complain("finished_at", "it ends before it begins");
  }
}));

/** What a check-in says. */
export type Checkin = z.infer<typeof CheckinBody>;
/** What a lease asks. */
export type LeaseRequest = z.infer<typeof LeaseBody>;
/** What a report tells. */
export type Report = z.infer<typeof ReportBody>;

/** One line for everything that is wrong with a body: `key.path: problem; …`. Quotes no value. */
export function describeIssues(error: z.core.$ZodError): string {
  return error.issues.map((issue) => {
    const path = issue.path.map(String).join(".") || "body";
    const keys = issue.code === "unrecognized_keys" ? ` ${issue.keys.join(", ")}` : "";
    return `${path}: ${issue.code === "custom" || keys === "" ? issue.message : `unknown${keys}`}`;
  }).join("; ");
}

/** True for an `env_id` that protocol v1 allows. */
export function isEnvId(text: string): boolean {
  return EnvId.safeParse(text).success;
}

/** True for the hex SHA-256 that names a bundle. */
export function isSha(text: string): boolean {
  return Sha.safeParse(text).success;
}
