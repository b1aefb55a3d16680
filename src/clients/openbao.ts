/**
 * Speaks to OpenBao (facts: openbao §1): login, the token's own calls, health. Reads of secrets are
 * in secrets.ts. Classifies every answer and decides nothing: what a dead token or a short renewal
 * leads to is planned in core/.
 */

import { AgentError, hasCode } from "../errors.ts";
import { type HealthReply, readAuth, readHealth } from "../model/bao_wire.ts";
import type { TokenLookup } from "../model/bao_wire.ts";
import { Secret } from "../model/secret.ts";
import type { HttpReply, Ports } from "../ports.ts";
import {
  type BaoCall,
  type BaoConfig,
  baoRequest,
  encodeSegments,
  type Mask,
} from "./openbao_call.ts";
import { LOOKUP_TARGET, lookupOf } from "./openbao_lookup.ts";
import { authOfLogin, type Login, loginWarnings } from "./openbao_login.ts";
import { badAnswer, errorTexts, failureOf, isForbidden, jsonOf, tryJson } from "./openbao_reply.ts";

export type { BaoConfig, Mask } from "./openbao_call.ts";
export type { Login } from "./openbao_login.ts";
export type { HealthReply, TokenLookup } from "../model/bao_wire.ts";

/**
 * The life a renewal asks for. It is named in the request, so that a shorter answer can only mean
 * the ceiling of the token's whole life (facts: openbao §1.3).
 */
export const RENEWAL_ASKED_S = 24 * 3600;

/** How a renewal ended. */
export type Renewal =
  | { readonly kind: "granted"; readonly askedS: number; readonly ttlS: number }
  /** 403: the token is dead, or may not renew itself; lookup-self tells which. */
  | { readonly kind: "forbidden" }
  /** OpenBao will never renew this token; it works until it ends. */
  | { readonly kind: "refused" };

/** How a revocation ended: done, dead already, or a living token that may not revoke itself. */
export type Revocation = "revoked" | "gone" | "forbidden";

/** What OpenBao says of itself, and how far this box's clock is from its. */
export interface BaoHealth extends HealthReply {
  /** Seconds by which this box's clock is ahead of OpenBao's. */
  readonly clockSkewS: number;
}

/** What may accompany a login: how many reads of secrets follow it at once. */
export interface LoginOptions {
  readonly readsAfter?: number;
  readonly signal?: AbortSignal;
}

/**
 * The calls. Each throws BAO_UNAVAILABLE, BAO_SEALED, BAO_RATE_LIMITED, BAO_TIMEOUT, BAO_BAD_ANSWER,
 * BAO_REDIRECTED, BAO_REFUSED and the codes of the HTTP port, besides those it names.
 */
export interface OpenBao {
  /**
   * Exchanges a grant for a token. Throws GRANT_EXPIRED, GRANT_NOT_YET_VALID, BAO_LOGIN_REFUSED;
   * BAO_ENV_MISMATCH, after revoking the token, when OpenBao gives one of another env_id.
   */
  login(grant: Secret, options?: LoginOptions): Promise<Login>;
  /** Gives what OpenBao knows of a living token, null for a dead one. */
  lookupSelf(token: Secret, signal?: AbortSignal): Promise<TokenLookup | null>;
  /** Asks for RENEWAL_ASKED_S more. */
  renewSelf(token: Secret, signal?: AbortSignal): Promise<Renewal>;
  /** Ends a token. */
  revokeSelf(token: Secret, signal?: AbortSignal): Promise<Revocation>;
  /** Asks for health and clock; needs no token, and a sealed server answers too. */
  health(signal?: AbortSignal): Promise<BaoHealth>;
}

/** Makes the client; throws nothing. */
export function createOpenBao(
  ports: Pick<Ports, "http" | "clock">,
  config: BaoConfig,
  options: { readonly mask: Mask },
): OpenBao {
  const timeoutMs = config.bao.timeoutS * 1000;

  function send(call: Omit<BaoCall, "timeoutMs">): Promise<HttpReply> {
    return ports.http.request(baoRequest({ ...call, timeoutMs }));
  }

  async function login(
    grant: Secret,
    { readsAfter, signal }: LoginOptions = {},
  ): Promise<Login> {
    options.mask(grant);
    const { authMount, role } = config.bao;
    const target = `/v1/auth/${encodeSegments(authMount)}/login`;
    const body = { role, jwt: grant.reveal() };
    const reply = await send({ method: "POST", target, body, readsAfter, signal });
    const auth = authOfLogin(reply, authMount);
    const token = new Secret(auth.clientToken);
    options.mask(token);
    const envId = auth.metadata["env_id"] ?? null;
    if (envId !== config.envId) {
      await revokeSelf(token, signal).catch(() => "forbidden");
      const whose = envId === null ? "without an env_id" : "of another env_id";
      throw new AgentError(
        "BAO_ENV_MISMATCH",
        `OpenBao gave a token ${whose}; this box is ${config.envId}, and the token was revoked`,
      );
    }
    return {
      token,
      accessor: auth.accessor,
      ttlS: auth.ttlS,
      envId,
      jti: auth.metadata["grant_jti"] ?? null,
      warnings: loginWarnings(auth),
    };
  }

  async function lookupSelf(token: Secret, signal?: AbortSignal): Promise<TokenLookup | null> {
    const target = LOOKUP_TARGET;
    return lookupOf(await send({ method: "GET", target, token, signal }));
  }

  async function renewSelf(token: Secret, signal?: AbortSignal): Promise<Renewal> {
    const what = "the renewal";
    const reply = await send({
      method: "POST",
      target: "/v1/auth/token/renew-self",
      token,
      body: { increment: `${RENEWAL_ASKED_S}s` },
      signal,
    });
    if (isForbidden(reply)) return { kind: "forbidden" };
    if (isFinalRefusal(reply)) return { kind: "refused" };
    if (reply.status !== 200) throw failureOf(reply, what);
    const read = readAuth(jsonOf(reply, what));
    if (read?.kind !== "auth" || read.auth.clientToken === "") {
      throw badAnswer(reply, what, "of another shape than a renewal's");
    }
    return { kind: "granted", askedS: RENEWAL_ASKED_S, ttlS: read.auth.ttlS };
  }

  async function revokeSelf(token: Secret, signal?: AbortSignal): Promise<Revocation> {
    const reply = await send({
      method: "POST",
      target: "/v1/auth/token/revoke-self",
      token,
      body: {},
      signal,
    });
    if (reply.status === 204 || reply.status === 200) return "revoked";
    // A dead token and one without the right to revoke itself get the same 403 (facts: openbao §0.10).
    if (isForbidden(reply)) {
      return await lookupSelf(token, signal) === null ? "gone" : "forbidden";
    }
    if (reply.status === 400 && errorTexts(reply) !== null) return "forbidden";
    throw failureOf(reply, "the revocation");
  }

  async function health(signal?: AbortSignal): Promise<BaoHealth> {
    const what = "the health check";
    const reply = await send({ method: "GET", target: "/v1/sys/health", signal });
    // Here 429 is a standby and 503 a sealed server, both with a body (facts: openbao §1.8).
    const read = readHealth(tryJson(reply));
    if (read !== null) {
      const clockSkewS = Math.round(ports.clock.now() / 1000 - read.serverTimeS);
      return { ...read, clockSkewS };
    }
    if (reply.status === 200) {
      throw badAnswer(reply, what, "of another shape than a health check's");
    }
    throw failureOf(reply, what);
  }

  /** A refusal because of time is told with both clocks: one of them is wrong. */
  async function withClocks(thrown: unknown, signal?: AbortSignal): Promise<unknown> {
    if (!hasCode(thrown, "GRANT_EXPIRED", "GRANT_NOT_YET_VALID")) return thrown;
    const measured = await health(signal).catch(() => null);
    if (measured === null) return thrown;
    const skewS = measured.clockSkewS;
    const data = { ...thrown.data, clock_skew_s: skewS };
    const message = `${thrown.message}; this box's clock is ${apart(skewS)}`;
    if (thrown.code === "GRANT_EXPIRED") return new AgentError(thrown.code, message, { data });
    const hint = "Compare the clocks of tenancy and OpenBao (timedatectl on each): the grant was " +
      "signed by the one and judged by the other.";
    return new AgentError(thrown.code, message, { data, hint });
  }

  return {
    async login(grant: Secret, options?: LoginOptions): Promise<Login> {
      try {
        return await login(grant, options);
      } catch (thrown) {
        throw await withClocks(thrown, options?.signal);
      }
    },
    lookupSelf,
    renewSelf,
    revokeSelf,
    health,
  };
}

/** 400, and the 500 whose cause is permanent all the same (facts: openbao §1.3). */
function isFinalRefusal(reply: HttpReply): boolean {
  const texts = errorTexts(reply);
  if (texts === null) return false;
  if (reply.status === 400) return true;
  const final = /past the max TTL|does not exist during renewal/i;
  return reply.status === 500 && texts.some((text) => final.test(text));
}

function apart(skewS: number): string {
  if (Math.abs(skewS) <= 1) return "the same as OpenBao's";
  return `${Math.abs(skewS)} s ${skewS > 0 ? "ahead of" : "behind"} OpenBao's`;
}
