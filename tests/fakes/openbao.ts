/**
 * A stand-in for OpenBao in memory, behind the agent's own HTTP port: stateful, of the shapes and
 * texts of facts: openbao §1, held to the same contract list as the real server. What the list does
 * not name it refuses.
 */

import type { Clock, Http, HttpReply, HttpRequest } from "../../src/ports.ts";
import type { BaoSetup, QuotaSetting } from "../contract/openbao_setup.ts";
import { signJwt } from "./openbao_sign.ts";
import { answerLogin } from "./openbao_jwt.ts";
import { answerList, answerRead, putVersion, secretAt } from "./openbao_kv.ts";
import { deadToken, errors, json, policyDenial } from "./openbao_reply.ts";
import {
  base62,
  ESTATE_ROLE,
  type FakeRole,
  type FakeState,
  type FakeToken,
  livingToken,
} from "./openbao_state.ts";
import { answerTokenCall } from "./openbao_token.ts";

/** Changes one answer on its way out; gives it back as it is where it does not care. */
export type Tamper = (request: HttpRequest, reply: HttpReply) => HttpReply | Error;

/** The stand-in and what it saw. */
export interface FakeBao extends BaoSetup {
  /** Every request, oldest first. */
  readonly requests: readonly HttpRequest[];
  /** From now on, every answer passes this; null: none. An Error is thrown instead of an answer. */
  tamper(change: Tamper | null): void;
  /** Ends a token at once, as an operator's revocation does. */
  kill(token: string): void;
  /** How many living tokens there are, tenancy's included. */
  livingTokens(): number;
}

const ISSUER = "https://tenancy.test";

/** Makes an unsealed one with nothing but tenancy's token in it. */
export async function createFakeBao(clock: Clock): Promise<FakeBao> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const ours = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const other = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const state: FakeState = {
    issuer: ISSUER,
    publicKey: ours.publicKey,
    tokens: new Map(),
    aliases: new Map(),
    secrets: new Map(),
    role: ESTATE_ROLE,
    quota: null,
    sealed: false,
    now: () => clock.now(),
  };
  const tenancy = tenancyToken(clock.now());
  state.tokens.set(tenancy.id, tenancy);
  const requests: HttpRequest[] = [];
  let change: Tamper | null = null;

  async function exchange(request: HttpRequest): Promise<HttpReply> {
    requests.push(request);
    request.signal?.throwIfAborted();
    const reply = await answer(state, request);
    const changed = change === null ? reply : change(request, reply);
    if (changed instanceof Error) throw changed;
    return changed;
  }

  const http: Http = {
    request: exchange,
    many: (all) =>
      Promise.all(all.map((one) => exchange(one).catch((thrown: unknown) => asError(thrown)))),
  };

  return {
    http,
    clock,
    tenancyToken: tenancy.id,
    requests,
    tamper: (next) => {
      change = next;
    },
    kill: (token) => {
      state.tokens.delete(token);
    },
    livingTokens: () => [...state.tokens.keys()].filter((id) => livingToken(state, id)).length,
    putSecret: (envId, path, content) =>
      Promise.resolve(putVersion(state, `${envId}/see/${path}`, content)),
    deleteVersion: (envId, path, version) => {
      const found = secretAt(state, `${envId}/see/${path}`).versions.get(version);
      if (found !== undefined) found.deletedAtMs = clock.now();
      return Promise.resolve();
    },
    destroyVersion: (envId, path, version) => {
      const found = secretAt(state, `${envId}/see/${path}`).versions.get(version);
      if (found !== undefined) found.destroyed = true;
      return Promise.resolve();
    },
    deleteAfter: (envId, path, seconds) => {
      secretAt(state, `${envId}/see/${path}`).deleteAfterMs = seconds * 1000;
      return Promise.resolve();
    },
    signGrant: (envId, overrides = {}, key) => {
      const nowS = Math.floor(clock.now() / 1000);
      const claims = {
        iss: ISSUER,
        aud: "openbao-see-env",
        sub: `agent:${envId}`,
        env_id: envId,
        kind: "deploy-grant",
        jti: crypto.randomUUID(),
        iat: nowS,
        exp: nowS + 3600,
        ...overrides,
      };
      return signJwt(key === "other" ? other.privateKey : ours.privateKey, claims);
    },
    configureRole: (overrides) => {
      state.role = roleOf(overrides);
      return Promise.resolve();
    },
    seal: () => {
      state.sealed = true;
      return Promise.resolve();
    },
    unseal: () => {
      state.sealed = false;
      return Promise.resolve();
    },
    restart: () => Promise.resolve(),
    quota: (setting) => {
      state.quota = quotaOf(setting, clock.now());
      return Promise.resolve();
    },
  };
}

async function answer(state: FakeState, request: HttpRequest): Promise<HttpReply> {
  const url = new URL(request.target, "https://bao.test");
  if (!url.pathname.startsWith("/v1/")) return errors(404);
  const path = decodeURIComponent(url.pathname.slice("/v1/".length));
  if (path === "sys/health") return health(state);
  if (state.sealed) return errors(503, "Vault is sealed");
  const limited = overQuota(state, path);
  if (limited !== null) return limited;
  const body = bodyOf(request);
  if (path === "auth/jwt-tenancy/login") return await answerLogin(state, body);
  const token = livingToken(state, request.headers["x-vault-token"]);
  if (token === null) return deadToken();
  const call = /^auth\/token\/([a-z-]+)$/.exec(path)?.[1];
  if (call !== undefined) return answerTokenCall(state, token, { call, body }) ?? policyDenial();
  const envId = state.aliases.get(token.alias) ?? null;
  const kvPath = /^monky\/(data|metadata)\/(.+)$/.exec(path);
  const [kind, rest] = [kvPath?.[1], kvPath?.[2]];
  if (envId === null || rest === undefined || !rest.startsWith(`${envId}/see/`)) {
    return policyDenial();
  }
  if (kind === "data" && request.method === "GET") {
    return answerRead(state, rest, url.searchParams.get("version"));
  }
  const isList = request.method === "LIST" || url.searchParams.get("list") === "true";
  return kind === "metadata" && isList ? answerList(state, rest) : policyDenial();
}

function health(state: FakeState): HttpReply {
  return json(state.sealed ? 503 : 200, {
    initialized: true,
    sealed: state.sealed,
    standby: state.sealed,
    replication_performance_mode: "disabled",
    replication_dr_mode: "disabled",
    server_time_utc: Math.floor(state.now() / 1000),
    version: "2.7.2",
  });
}

function overQuota(state: FakeState, path: string): HttpReply | null {
  const { quota } = state;
  if (quota === null || !path.startsWith(quota.path)) return null;
  const now = state.now();
  if (now - quota.startedAtMs >= quota.intervalMs) {
    quota.startedAtMs = now;
    quota.used = 0;
  }
  quota.used++;
  if (quota.used <= quota.rate) return null;
  // Rounded down, and a little of the interval is always over.
  const leftS = Math.floor((quota.startedAtMs + quota.intervalMs - now - 1) / 1000);
  return json(
    429,
    { errors: [`request path "${path}": rate limit quota exceeded`] },
    quota.headers ? { "retry-after": String(leftS) } : {},
  );
}

function bodyOf(request: HttpRequest): Readonly<Record<string, unknown>> {
  return request.body === undefined ? {} : JSON.parse(new TextDecoder().decode(request.body));
}

function tenancyToken(now: number): FakeToken {
  return {
    id: `s.${base62()}`,
    accessor: base62(),
    policies: ["default", "tenancy"],
    meta: {},
    alias: "",
    issuedAtMs: now,
    ttlS: 24 * 3600,
    maxTtlS: 1e9,
    expiresAtMs: now + 1e12,
  };
}

function roleOf(overrides: Readonly<Record<string, string | number | boolean>>): FakeRole {
  const seconds = (name: string, otherwise: number): number => {
    const value = overrides[name];
    return value === undefined ? otherwise : parseInt(String(value), 10);
  };
  return {
    tokenTtlS: seconds("token_ttl", ESTATE_ROLE.tokenTtlS),
    tokenMaxTtlS: seconds("token_max_ttl", ESTATE_ROLE.tokenMaxTtlS),
    clockSkewLeewayS: seconds("clock_skew_leeway", ESTATE_ROLE.clockSkewLeewayS),
    noDefaultPolicy: overrides["token_no_default_policy"] === true,
  };
}

function quotaOf(setting: QuotaSetting | null, now: number): FakeState["quota"] {
  if (setting === null) return null;
  const { rate, intervalS, headers } = setting;
  return { path: "monky/", rate, intervalMs: intervalS * 1000, headers, startedAtMs: now, used: 0 };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
