/** Reading an OpenBao server's audit log: who asked for what, in which order. */

import type { BaoTarget } from "./bao_admin.ts";

/** One line of the audit log, what tests need of it. */
export interface AuditEntry {
  /** RFC 3339. */
  readonly time: string;
  readonly type: "request" | "response";
  /** `read`, `update`, `create`, `delete`, `list`. */
  readonly operation: string;
  /** Without `/v1/`: `monky/data/env-qa-02/see/gemini_api_key`. */
  readonly path: string;
  /** `root`, `jwt-tenancy-agent:env-qa-02`; empty for a login. */
  readonly displayName: string;
  /** OpenBao's words when the request failed, else empty. */
  readonly error: string;
}

interface AuditLine {
  readonly time: string;
  readonly type: "request" | "response";
  readonly error?: string;
  readonly auth?: { readonly display_name?: string };
  readonly request: { readonly operation: string; readonly path: string };
}

/**
 * Where the audit log ends now.
 *
 * @param target the server
 * @returns a mark for `auditSince` and `countRequests`
 */
export async function auditMark(target: BaoTarget): Promise<number> {
  return (await Deno.stat(target.bao.auditLog)).size;
}

/**
 * What was logged since a mark. OpenBao logs a request before it answers it. Health checks and
 * seal status are not logged.
 *
 * @param target the server
 * @param mark from `auditMark`
 * @returns the entries in order, requests and responses
 */
export async function auditSince(target: BaoTarget, mark: number): Promise<AuditEntry[]> {
  const bytes = await Deno.readFile(target.bao.auditLog);
  const text = new TextDecoder().decode(bytes.subarray(mark));
  return text.split("\n").filter((line) => line !== "").map((line) => {
    const entry = JSON.parse(line) as AuditLine;
    return {
      time: entry.time,
      type: entry.type,
      operation: entry.request.operation,
      path: entry.request.path,
      displayName: entry.auth?.display_name ?? "",
      error: entry.error ?? "",
    };
  });
}

/**
 * How many requests came since a mark, the test's own administration included.
 *
 * @param target the server
 * @param mark from `auditMark`
 * @param pathPrefix only requests whose path starts so: `monky/data/`, `auth/jwt-tenancy/login`
 */
export async function countRequests(
  target: BaoTarget,
  mark: number,
  pathPrefix = "",
): Promise<number> {
  const entries = await auditSince(target, mark);
  return entries.filter(({ type, path }) => type === "request" && path.startsWith(pathPrefix))
    .length;
}
