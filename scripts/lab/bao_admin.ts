/** What a test does to an OpenBao server as its administrator. */

import { assertOk, BaoClient, type BaoReply } from "./bao_client.ts";
import { SEE_ENV_ROLE } from "./bao_contents.ts";
import { serve, unsealServer, waitAnswering } from "./bao_server.ts";
import { type BaoInfo, type LabInfo, writeLab } from "./info.ts";
import { stopProcess } from "./process.ts";

/** A server to act on: the lab, or a handle of `startBao`. */
export interface BaoTarget {
  readonly bao: BaoInfo;
}

/** A rate limit. */
export interface Quota {
  /** Its name. */
  readonly name: string;
  /** Path prefix it counts: `monky/`. */
  readonly path: string;
  /** Requests an interval, per client address. */
  readonly rate: number;
  /** `10s`; `1s` by default. */
  readonly interval?: string;
}

/**
 * Sends one request with the root token.
 *
 * @param target the server
 * @param method `GET`, `POST`, `DELETE`, `LIST`
 * @param path without `/v1/`
 * @param body sent as JSON
 * @returns status and body, whatever the status
 * @throws TypeError or DOMException when nothing answers
 */
export async function adminRequest(
  target: BaoTarget,
  method: string,
  path: string,
  body?: object,
): Promise<BaoReply> {
  using client = await BaoClient.open(target.bao);
  return await client.request(method, path, {
    token: target.bao.rootToken,
    ...(body === undefined ? {} : { body }),
  });
}

async function adminCall(
  target: BaoTarget,
  method: string,
  path: string,
  body?: object,
): Promise<BaoReply["body"]> {
  const reply = await adminRequest(target, method, path, body);
  assertOk(reply, method, path);
  return reply.body;
}

function secretPath(envId: string, path: string): string {
  return [envId, "see", ...path.split("/")].map(encodeURIComponent).join("/");
}

/**
 * Writes a new version of a secret of an env.
 *
 * @param target the server
 * @param envId `env-qa-02`
 * @param path below the env's `see/`: `gemini_api_key`, `sub/db`
 * @param data the fields: `{value: "…"}`
 * @returns the version's number, from 1
 * @throws Error with OpenBao's words, never with the data
 */
export async function putSecret(
  target: BaoTarget,
  envId: string,
  path: string,
  data: Readonly<Record<string, unknown>>,
): Promise<number> {
  const body = await adminCall(target, "POST", `monky/data/${secretPath(envId, path)}`, { data });
  return Number(body.data?.["version"]);
}

/**
 * Deletes one version softly: reading it gives 404 with metadata.
 *
 * @param target the server
 * @param envId the env
 * @param path as for `putSecret`
 * @param version its number
 * @throws Error with OpenBao's words
 */
export async function deleteVersion(
  target: BaoTarget,
  envId: string,
  path: string,
  version: number,
): Promise<void> {
  const full = `monky/delete/${secretPath(envId, path)}`;
  await adminCall(target, "POST", full, { versions: [version] });
}

/**
 * Destroys one version for good.
 *
 * @param target the server
 * @param envId the env
 * @param path as for `putSecret`
 * @param version its number
 * @throws Error with OpenBao's words
 */
export async function destroyVersion(
  target: BaoTarget,
  envId: string,
  path: string,
  version: number,
): Promise<void> {
  const full = `monky/destroy/${secretPath(envId, path)}`;
  await adminCall(target, "POST", full, { versions: [version] });
}

/**
 * Sets the role `see-env` to what the estate has, but for the overrides; `{}` puts it back.
 *
 * @param target the server
 * @param overrides `{token_ttl: "5s", token_max_ttl: "15s"}`, `{clock_skew_leeway: -1}`
 * @throws Error with OpenBao's words
 */
export async function configureRole(
  target: BaoTarget,
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  // A parameter that a write leaves out keeps its old value, so the role is made anew.
  await adminCall(target, "DELETE", "auth/jwt-tenancy/role/see-env");
  await adminCall(target, "POST", "auth/jwt-tenancy/role/see-env", {
    ...SEE_ENV_ROLE,
    ...overrides,
  });
}

/**
 * Seals the server: everything answers 503 until `unseal`.
 *
 * @param target the server
 * @throws Error with OpenBao's words
 */
export async function seal(target: BaoTarget): Promise<void> {
  await adminCall(target, "POST", "sys/seal");
}

/**
 * Unseals the server and waits until it serves.
 *
 * @param target the server
 * @throws Error when it refuses the key or does not serve within 30 s
 */
export async function unseal(target: BaoTarget): Promise<void> {
  await unsealServer(target.bao);
}

/**
 * Ends the lab's own server and starts it again, unsealed, on the same port and storage. For a
 * server of `startBao` see its `restart()`.
 *
 * @param lab the lab
 * @returns the lab with the new process, as `lab.json` has it now
 * @throws Error when it does not come up, with the last lines of its log
 */
export async function restartLabBao(lab: LabInfo): Promise<LabInfo> {
  const old = lab.processes.find(({ name }) => name === "bao");
  if (old !== undefined) await stopProcess(old);
  const process = await serve(lab.baoParts.binary, lab.bao.dir);
  await waitAnswering(lab.bao, process);
  await unsealServer(lab.bao);
  const others = lab.processes.filter(({ name }) => name !== "bao");
  const updated = { ...lab, processes: [...others, process] };
  await writeLab(updated);
  return updated;
}

/**
 * Limits requests, and makes the 429 carry `Retry-After`.
 *
 * @param target the server
 * @param quota see `Quota`
 * @param headers false: no `Retry-After`, as OpenBao has it by default
 * @throws Error with OpenBao's words
 */
export async function setQuota(target: BaoTarget, quota: Quota, headers = true): Promise<void> {
  await adminCall(target, "POST", "sys/quotas/config", {
    enable_rate_limit_response_headers: headers,
  });
  const { name, path, rate, interval = "1s" } = quota;
  await adminCall(target, "POST", `sys/quotas/rate-limit/${name}`, { path, rate, interval });
}

/**
 * Removes a rate limit; no error when there is none of this name.
 *
 * @param target the server
 * @param name of the quota
 * @throws Error with OpenBao's words
 */
export async function removeQuota(target: BaoTarget, name: string): Promise<void> {
  await adminCall(target, "DELETE", `sys/quotas/rate-limit/${name}`);
}

/**
 * The accessors of all living tokens, root's and tenancy's included.
 *
 * @param target the server
 * @throws Error with OpenBao's words
 */
export async function listAccessors(target: BaoTarget): Promise<string[]> {
  const body = await adminCall(target, "LIST", "auth/token/accessors");
  return (body.data?.["keys"] ?? []) as string[];
}
