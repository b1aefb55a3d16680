/**
 * Speaks protocol v1 with tenancy (SPEC §3): one function a call. Classifies what comes back and
 * decides nothing; the table of codes and what the tick does with each stands in SPEC §3.
 */

import { AgentError, type Code } from "../errors.ts";
import { parseJson } from "../model/json.ts";
import type { Secret } from "../model/secret.ts";
import type { Report } from "../model/state.ts";
import {
  type CheckinReply,
  type LeaseReply,
  parseCheckin,
  parseErrorCode,
  parseLease,
} from "../model/tenancy_wire.ts";
import type { HttpReply, Ports } from "../ports.ts";
import { USER_AGENT } from "../version.ts";
import { otherThanJson, redirectHost, shapeOf } from "./reply_type.ts";

/** A JSON reply of a call other than a bundle. */
const MAX_REPLY_BYTES = 1 << 20;
/** 16 MiB of content in base64, its JSON and some room (SPEC §3). */
const MAX_BUNDLE_REPLY_BYTES = 24 << 20;

/** What the client needs to know of its surroundings. */
export interface TenancyOptions {
  readonly envId: string;
  /** Limit of one exchange; a bundle may take `fetchTimeoutMs`. */
  readonly timeoutMs: number;
  readonly fetchTimeoutMs: number;
}

/** How long a check-in may take. */
export interface CheckinOptions {
  /** Tenancy may hold the reply back this long, in seconds, as the body says; default 0. */
  readonly waitS?: number;
  /** Ends the exchange: INTERRUPTED. */
  readonly signal?: AbortSignal;
}

/** The calls of protocol v1. Every one throws the codes of SPEC §3's table and TENANCY_*. */
export interface Tenancy {
  /** Takes the body of checkinBody(); gives what is desired. Another env_id in it: AGENT_ENV_MISMATCH. */
  checkin(
    token: Secret,
    body: Readonly<Record<string, unknown>>,
    options?: CheckinOptions,
  ): Promise<CheckinReply>;
  /** Gives the parsed JSON of a bundle, still unchecked: model/bundle_parse.ts takes it on. */
  bundle(token: Secret, sha: string): Promise<unknown>;
  /** Asks for a grant; 5 an hour. */
  lease(token: Secret, reason: "apply" | "renew"): Promise<LeaseReply>;
  /** Delivers a report; the same report_id twice is accepted once. */
  report(token: Secret, report: Report): Promise<void>;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly what: string;
  readonly body?: unknown;
  readonly status: number;
  readonly maxBodyBytes?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Wire code of an error reply → our code, where the agent has an answer of its own to it. */
const KNOWN_CODES: Readonly<Record<string, { readonly status: number; readonly code: Code }>> = {
  AGENT_UNAUTHENTICATED: { status: 401, code: "AGENT_UNAUTHENTICATED" },
  AGENT_ENV_MISMATCH: { status: 403, code: "AGENT_ENV_MISMATCH" },
  LEASE_RATE_LIMITED: { status: 429, code: "LEASE_RATE_LIMITED" },
  BUNDLE_NOT_FOUND: { status: 404, code: "BUNDLE_NOT_FOUND" },
};

const SAYS: Readonly<Partial<Record<Code, string>>> = {
  AGENT_UNAUTHENTICATED: "tenancy does not accept this box's token",
  AGENT_ENV_MISMATCH: "tenancy knows this box's token under another env_id",
  LEASE_RATE_LIMITED: "tenancy gives no lease now: the hour's five are used up",
  BUNDLE_NOT_FOUND: "tenancy does not have the bundle it named",
};

/** Makes the client; throws nothing. */
export function createTenancy(
  ports: Pick<Ports, "http" | "random">,
  options: TenancyOptions,
): Tenancy {
  async function call(token: Secret, request: Call): Promise<unknown> {
    const requestId = ports.random.uuid();
    const headers: Record<string, string> = {
      authorization: `Bearer ${token.reveal()}`,
      "user-agent": USER_AGENT,
      "x-request-id": requestId,
      accept: "application/json",
    };
    if (request.body !== undefined) headers["content-type"] = "application/json";
    const reply = await ports.http.request({
      peer: "tenancy",
      method: request.method,
      target: request.target,
      headers,
      ...(request.body === undefined
        ? {}
        : { body: new TextEncoder().encode(JSON.stringify(request.body)) }),
      timeoutMs: request.timeoutMs ?? options.timeoutMs,
      maxBodyBytes: request.maxBodyBytes ?? MAX_REPLY_BYTES,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (reply.status === request.status) return jsonOf(reply, request.what, requestId);
    throw refusalOf(reply, request.what, requestId);
  }

  return {
    async checkin(token, body, { waitS = 0, signal } = {}) {
      const request: Call = {
        method: "POST",
        target: "/agent/v1/checkin",
        what: "the check-in",
        body,
        status: 200,
        timeoutMs: options.timeoutMs + waitS * 1000,
        signal,
      };
      const reply = parseCheckin(await call(token, request));
      if (reply.envId !== options.envId) {
        throw new AgentError(
          "AGENT_ENV_MISMATCH",
          `tenancy answered the check-in of ${options.envId} for another env_id`,
        );
      }
      return reply;
    },
    bundle(token, sha) {
      return call(token, {
        method: "GET",
        target: `/agent/v1/bundles/${sha}`,
        what: `bundle ${sha.slice(0, 12)}`,
        status: 200,
        maxBodyBytes: MAX_BUNDLE_REPLY_BYTES,
        timeoutMs: options.fetchTimeoutMs,
      });
    },
    async lease(token, reason) {
      const body = { env_id: options.envId, reason };
      const target = "/agent/v1/leases";
      return parseLease(
        await call(token, { method: "POST", target, what: "the lease", body, status: 201 }),
      );
    },
    async report(token, report) {
      const target = "/agent/v1/reports";
      await call(token, { method: "POST", target, what: "a report", body: report, status: 202 });
    },
  };
}

function jsonOf(reply: HttpReply, what: string, requestId: string): unknown {
  if (reply.status === 202 && reply.body.length === 0) return null;
  const data = { ...shapeOf(reply), request_id: requestId };
  const other = otherThanJson(reply);
  if (other !== null) {
    throw new AgentError("TENANCY_BAD_ANSWER", `the answer to ${what} is ${other}`, { data });
  }
  return parseJson(reply.body, { code: "TENANCY_BAD_ANSWER", what: `the answer to ${what}`, data });
}

function refusalOf(reply: HttpReply, what: string, requestId: string): AgentError {
  const data: Record<string, string | number> = { status: reply.status, request_id: requestId };
  if (reply.status >= 300 && reply.status < 400) {
    const message = `${what} was answered with a redirect to ${
      redirectHost(reply)
    }, which is not followed`;
    return new AgentError("TENANCY_REDIRECTED", message, { data });
  }
  const wireCode = errorCodeOf(reply);
  const shown = wireCode !== null && /^[A-Z][A-Z0-9_]{0,63}$/.test(wireCode) ? wireCode : null;
  if (shown !== null) data["tenancy_code"] = shown;
  const known = wireCode === null ? undefined : KNOWN_CODES[wireCode];
  if (known !== undefined && known.status === reply.status) {
    return new AgentError(known.code, SAYS[known.code] ?? `tenancy refused ${what}`, { data });
  }
  if (reply.status >= 500 || reply.status === 429 || reply.status === 408) {
    return new AgentError(
      "TENANCY_UNAVAILABLE",
      `tenancy cannot answer ${what} now (HTTP ${reply.status})`,
      { data },
    );
  }
  if (wireCode === null) {
    return new AgentError(
      "TENANCY_BAD_ANSWER",
      `${what} was answered with HTTP ${reply.status} and no error of tenancy's`,
      { data },
    );
  }
  return new AgentError(
    "TENANCY_REFUSED",
    `tenancy refused ${what}: HTTP ${reply.status} ${shown ?? "(no code)"}`,
    { data },
  );
}

/** An error's code; an answer that is no JSON has none, whatever its status says. */
function errorCodeOf(reply: HttpReply): string | null {
  if (otherThanJson(reply) !== null) return null;
  try {
    return parseErrorCode(
      parseJson(reply.body, { code: "TENANCY_BAD_ANSWER", what: "an error of tenancy's" }),
    );
  } catch {
    return null;
  }
}
