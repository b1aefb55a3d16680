/**
 * Tenancy in memory behind the agent's own HTTP port, for tests of the session: check-ins, leases
 * within a budget, supersession. Its bearer check asks the stand-in of OpenBao, as tenancy does.
 * Bundles and the finer protocol are the development tenancy's business (scripts/tenancy).
 */

import { baoRequest } from "../../src/clients/openbao_call.ts";
import { Secret } from "../../src/model/secret.ts";
import type { Clock, HttpReply, HttpRequest } from "../../src/ports.ts";
import type { FakeBao } from "./openbao.ts";
import { reply } from "./openbao_script.ts";

const HOUR_MS = 3_600_000;

/** The stand-in and hands to set it. */
export interface FakeTenancy {
  /** Answers one request of the agent. */
  answer(request: HttpRequest): Promise<HttpReply>;
  /** Supersedes every earlier grant and gives a fresh bootstrap grant. */
  reveal(claims?: Readonly<Record<string, string | number | undefined>>): Promise<string>;
  /** From now on asked before each call; an answer that is not null is given instead. */
  instead(fault: ((call: string) => HttpReply | null) | null): void;
  /** How many leases were given. */
  readonly leases: number;
  /** Calls in order: `checkin`, `leases`, `reports`. */
  readonly calls: readonly string[];
}

/** Makes one for an env; `leasesPerHour` as in the protocol. */
export function createFakeTenancy(
  bao: FakeBao,
  clock: Clock,
  options: { readonly envId: string; readonly leasesPerHour?: number },
): FakeTenancy {
  const { envId, leasesPerHour = 5 } = options;
  const superseded = new Set<string>();
  const issued = new Set<string>();
  const calls: string[] = [];
  let given: number[] = [];
  let leases = 0;
  let instead: ((call: string) => HttpReply | null) | null = null;

  async function grant(claims: Readonly<Record<string, string | number | undefined>> = {}) {
    const jti = crypto.randomUUID();
    issued.add(jti);
    return await bao.signGrant(envId, { jti, ...claims });
  }

  async function isAccepted(request: HttpRequest): Promise<boolean> {
    const token = (request.headers["authorization"] ?? "").replace("Bearer ", "");
    const looked = await bao.http.request(baoRequest({
      method: "POST",
      target: "/v1/auth/token/lookup",
      token: new Secret(bao.tenancyToken),
      body: { token },
      timeoutMs: 1000,
    }));
    if (looked.status !== 200) return false;
    const { data } = JSON.parse(new TextDecoder().decode(looked.body));
    return data.meta.env_id === envId && !superseded.has(data.meta.grant_jti);
  }

  async function lease(): Promise<HttpReply> {
    given = given.filter((at) => clock.now() - at < HOUR_MS);
    if (given.length >= leasesPerHour) return refusal(429, "LEASE_RATE_LIMITED");
    given.push(clock.now());
    leases++;
    const expiresAt = new Date(clock.now() + HOUR_MS).toISOString();
    return reply(201, { grant: await grant(), expires_at: expiresAt });
  }

  return {
    calls,
    get leases(): number {
      return leases;
    },
    instead: (fault) => {
      instead = fault;
    },
    async reveal(claims): Promise<string> {
      for (const jti of issued) superseded.add(jti);
      return await grant(claims);
    },
    async answer(request: HttpRequest): Promise<HttpReply> {
      const call = request.target.split("/").at(-1) ?? "";
      calls.push(call);
      const fault = instead?.(call) ?? null;
      if (fault !== null) return fault;
      if (!await isAccepted(request)) return refusal(401, "AGENT_UNAUTHENTICATED");
      if (call === "leases") return await lease();
      if (call === "reports") return reply(202, {});
      return reply(200, {
        env_id: envId,
        desired: { state: "absent" },
        server_time: new Date(clock.now()).toISOString(),
      });
    },
  };
}

/** An error in tenancy's shape. */
export function refusal(status: number, code: string): HttpReply {
  return reply(status, { error: { code, message: "no" } });
}
