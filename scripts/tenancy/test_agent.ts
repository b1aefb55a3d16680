// A minimal well-behaved agent for tests of the tenancy itself: good requests, easily spoilt.

import { exportPKCS8, generateKeyPair } from "jose";
import { type MemoryLookup, memoryLookup } from "./memory_lookup.ts";
import { startTenancy } from "./mod.ts";
import { type RawAnswer, type RawRequest, sendRequest } from "./raw_client.ts";
import type { Call } from "./terms.ts";
import type { TenancyHandle, TenancyOptions } from "./types.ts";

/** The environment that the good requests are about. */
export const ENV = "env-qa-02";
/** A sha that no bundle has. */
export const SOME_SHA = "ab".repeat(32);

/** A tenancy with a stand-in for OpenBao, and what a test needs to talk to it. */
export interface Bench {
  readonly tenancy: TenancyHandle;
  readonly lookup: MemoryLookup;
  /** A token of `ENV` whose grant is good. */
  readonly token: string;
  /** Sends the good request of a call, changed by `change`. */
  send(call: Call, change?: Spoil, deadlineMs?: number, maxBytes?: number): Promise<RawAnswer>;
}

/** Changes to a good request: each part replaces or adds to the good one. */
export interface Spoil {
  readonly method?: string;
  readonly target?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Merged into the good body; `undefined` leaves a key out. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Sent instead of the JSON. */
  readonly body?: string | Uint8Array;
}

/** Runs a test against a new tenancy, which is closed afterwards. */
export async function withTenancy(
  run: (bench: Bench) => Promise<void>,
  options: Partial<TenancyOptions> = {},
): Promise<void> {
  const lookup = memoryLookup();
  const tenancy = await startTenancy({ keyPem: await newKeyPem(), lookup, ...options });
  try {
    const { jti } = await tenancy.issueBootstrapGrant(ENV);
    const token = lookup.mint(ENV, jti);
    await run({
      tenancy,
      lookup,
      token,
      send: (call, spoil = {}, deadlineMs, maxBytes) =>
        sendRequest(tenancy.port, goodRequest(call, token, spoil), deadlineMs, maxBytes),
    });
  } finally {
    await tenancy.close();
  }
}

/** A new P-256 key as PKCS#8 PEM. */
export async function newKeyPem(): Promise<string> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return await exportPKCS8(privateKey);
}

/** The request that a well-behaved agent sends, with the changes of `spoil`. */
export function goodRequest(call: Call, token: string, spoil: Spoil = {}): RawRequest {
  const isGet = call === "bundle";
  const json = isGet ? "" : JSON.stringify({ ...goodBody(call), ...spoil.json });
  return {
    method: spoil.method ?? (isGet ? "GET" : "POST"),
    target: spoil.target ?? TARGETS[call],
    headers: {
      "Host": "monky.tenancy.deploy:443",
      "Authorization": `Bearer ${spoil.token ?? token}`,
      "User-Agent": "monky-deployd/0.2.0",
      "X-Request-Id": crypto.randomUUID(),
      ...(isGet ? {} : { "Content-Type": "application/json" }),
      ...spoil.headers,
    },
    body: spoil.body ?? json,
  };
}

const TARGETS: Record<Call, string> = {
  checkin: "/agent/v1/checkin",
  bundle: `/agent/v1/bundles/${SOME_SHA}`,
  lease: "/agent/v1/leases",
  report: "/agent/v1/reports",
};

function goodBody(call: Exclude<Call, "bundle">): Record<string, unknown> {
  if (call === "lease") return { env_id: ENV, reason: "apply" };
  const service = { name: "web", state: "running", health: "healthy", image: "reg/web:1" };
  if (call === "checkin") {
    return {
      env_id: ENV,
      site: "cbs",
      agent_version: "0.2.0",
      transport: "proxy",
      applied: { sha: SOME_SHA, serial: 3, at: "2026-09-07T07:40:00Z" },
      failed: { sha: SOME_SHA, code: "UNHEALTHY", attempts: 2, next_attempt_at: null },
      services: [{ ...service, restarts: 0 }, { ...service, name: "db", health: null }],
    };
  }
  return {
    report_id: "report-0001",
    env_id: ENV,
    sha: SOME_SHA,
    serial: 3,
    result: "failed",
    code: "UNHEALTHY",
    detail: "UNHEALTHY: web exited with 1",
    started_at: "2026-09-07T07:40:00Z",
    finished_at: "2026-09-07T09:40:09.5+02:00",
    agent_version: "0.2.0",
    token_source: "lease",
    steps: [{ action: "fetch", ms: 12, ok: true }, { action: "health", ms: 9_000, ok: false }],
    services: [{ ...service, state: "exited", health: null, logs: "boom" }],
    secrets: [{ var: "DB_PASSWORD", version: 2 }],
  };
}

/** The JSON of an answer; null when it is none. */
export function jsonOf(answer: RawAnswer): Record<string, unknown> | null {
  try {
    return JSON.parse(new TextDecoder().decode(answer.body));
  } catch {
    return null;
  }
}

/** `<status> <error code>` of an answer, or the bare status. */
export function verdict(answer: RawAnswer): string {
  const error = jsonOf(answer)?.["error"] as { code?: string } | undefined;
  return [answer.status, error?.code].filter((part) => part !== undefined).join(" ");
}
