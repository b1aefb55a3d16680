// Holds a request against protocol v1 before anything is done with it: route, headers, body.

import type { HttpRequest } from "./http_request.ts";
import type { Call } from "./terms.ts";
import {
  type Checkin,
  CheckinBody,
  describeIssues,
  isSha,
  LeaseBody,
  type LeaseRequest,
  type Report,
  ReportBody,
  SEMVER,
} from "./wire.ts";

/** A request that keeps the protocol: the call with what it carries. */
export type AgentRequest =
  | { readonly call: "checkin"; readonly token: string; readonly body: Checkin }
  | { readonly call: "bundle"; readonly token: string; readonly sha: string }
  | { readonly call: "lease"; readonly token: string; readonly body: LeaseRequest }
  | { readonly call: "report"; readonly token: string; readonly body: Report };

/** The request, or everything that is wrong with it; `call` as far as the target tells. */
export type CheckedRequest =
  | { readonly ok: true; readonly request: AgentRequest }
  | { readonly ok: false; readonly call: Call | null; readonly problems: readonly string[] };

const BEARER = /^Bearer ([A-Za-z0-9._~+/=-]+)$/;
const BUNDLES = "/agent/v1/bundles/";
const POST_CALLS: Readonly<Record<string, Exclude<Call, "bundle">>> = {
  "/agent/v1/checkin": "checkin",
  "/agent/v1/leases": "lease",
  "/agent/v1/reports": "report",
};
const ONCE = ["host", "authorization", "user-agent", "x-request-id", "content-type"];

/** Checks one request; `expectedHost` is what its `Host` must be. */
export function checkRequest(http: HttpRequest, expectedHost: string): CheckedRequest {
  const call = callOf(http.target);
  const problems = headerProblems(http, expectedHost);
  const token = bearerOf(http);
  if (token === null) problems.push("Authorization is not `Bearer <token>`");
  if (call === null) problems.push("the target is none of protocol v1's, in origin-form");
  if (call === null || token === null) return { ok: false, call, problems };
  const method = call === "bundle" ? "GET" : "POST";
  if (http.method !== method) problems.push(`the method is not ${method}`);
  const request = call === "bundle"
    ? checkBundle(http, token, problems)
    : checkPost(call, http, token, problems);
  if (request === null || problems.length > 0) return { ok: false, call, problems };
  return { ok: true, request };
}

/** The token of the Authorization header; null when it has another form. */
export function bearerOf(http: HttpRequest): string | null {
  return BEARER.exec(http.headers["authorization"] ?? "")?.[1] ?? null;
}

/** The body as text; null when it is not UTF-8. */
export function bodyText(http: HttpRequest): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(http.body);
  } catch {
    return null;
  }
}

function callOf(target: string): Call | null {
  if (target.startsWith(BUNDLES)) return "bundle";
  return Object.hasOwn(POST_CALLS, target) ? POST_CALLS[target] ?? null : null;
}

function headerProblems(http: HttpRequest, expectedHost: string): string[] {
  const problems: string[] = [];
  const { headers } = http;
  for (const name of http.repeated) {
    if (ONCE.includes(name)) problems.push(`${name} comes more than once`);
  }
  if (headers["host"] !== expectedHost) problems.push(`Host is not ${expectedHost}`);
  if (agentVersion(http) === null) {
    problems.push("User-Agent is not monky-deployd/<semantic version>");
  }
  if (!/^[\x21-\x7e]{1,128}$/.test(headers["x-request-id"] ?? "")) {
    problems.push("X-Request-Id is missing, or not 1 to 128 printable characters");
  }
  return problems;
}

function agentVersion(http: HttpRequest): string | null {
  const [name, version = "", ...rest] = (http.headers["user-agent"] ?? "").split("/");
  return name === "monky-deployd" && rest.length === 0 && SEMVER.test(version) ? version : null;
}

function checkBundle(
  http: HttpRequest,
  token: string,
  problems: string[],
): AgentRequest | null {
  const sha = http.target.slice(BUNDLES.length);
  if (http.body.length > 0) problems.push("a GET carries a body");
  if (!isSha(sha)) {
    problems.push("the bundle is not named by 64 lower-case hex digits");
    return null;
  }
  return { call: "bundle", token, sha };
}

function checkPost(
  call: Exclude<Call, "bundle">,
  http: HttpRequest,
  token: string,
  problems: string[],
): AgentRequest | null {
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(http.headers["content-type"] ?? "")) {
    problems.push("Content-Type is not application/json");
  }
  const body = parseBody(http);
  if (body === undefined) {
    problems.push("the body is not JSON in UTF-8");
    return null;
  }
  if (call === "lease") {
    const lease = LeaseBody.safeParse(body);
    if (lease.success) return { call, token, body: lease.data };
    problems.push(describeIssues(lease.error));
    return null;
  }
  const parsed = call === "checkin" ? CheckinBody.safeParse(body) : ReportBody.safeParse(body);
  if (!parsed.success) {
    problems.push(describeIssues(parsed.error));
    return null;
  }
  if (parsed.data.agent_version !== agentVersion(http)) {
    problems.push("agent_version is not the version of User-Agent");
  }
  return { call, token, body: parsed.data } as AgentRequest;
}

function parseBody(http: HttpRequest): unknown {
  const text = bodyText(http);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
