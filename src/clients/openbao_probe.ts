/**
 * Questions to OpenBao whose answers tell whether a tick could do its part, and which change nothing:
 * a login without a grant, which fails after the mount and the role were found, and what a token may
 * do. For the doctor alone.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import { lazy } from "../model/lazy.ts";
import type { Secret } from "../model/secret.ts";
import type { Http } from "../ports.ts";
import { type BaoConfig, baoRequest, encodeSegments } from "./openbao_call.ts";
import { authOfLogin } from "./openbao_login.ts";
import { errorTexts, tryJson } from "./openbao_reply.ts";

const Capabilities = lazy(() => z.object({ data: z.record(z.string(), z.array(z.string())) }));

/**
 * Asks to log in without a grant. Returns when OpenBao only misses the grant, so that mount and role
 * are there (facts: openbao §1.1). Throws BAO_LOGIN_REFUSED and what a login throws otherwise.
 */
export async function probeRole(http: Http, config: BaoConfig): Promise<void> {
  const { authMount, role, timeoutS } = config.bao;
  const reply = await http.request(baoRequest({
    method: "POST",
    target: `/v1/auth/${encodeSegments(authMount)}/login`,
    body: { role },
    timeoutMs: timeoutS * 1000,
  }));
  if (
    reply.status === 400 && (errorTexts(reply) ?? []).some((text) => /missing token/i.test(text))
  ) {
    return;
  }
  authOfLogin(reply, authMount);
  throw new AgentError("BAO_BAD_ANSWER", "OpenBao gave a token to a login without a grant");
}

/**
 * Gives what the token may do at each path; null when OpenBao does not say, e.g. since the token
 * lacks the policy `default`. Throws the codes of the HTTP port.
 */
export async function capabilitiesOf(
  http: Http,
  config: BaoConfig,
  { token, paths }: { readonly token: Secret; readonly paths: readonly string[] },
): Promise<ReadonlyMap<string, readonly string[]> | null> {
  const reply = await http.request(baoRequest({
    method: "POST",
    target: "/v1/sys/capabilities-self",
    token,
    body: { paths },
    timeoutMs: config.bao.timeoutS * 1000,
  }));
  const parsed = Capabilities().safeParse(reply.status === 200 ? tryJson(reply) : null);
  if (!parsed.success) return null;
  return new Map(paths.map((path) => [path, parsed.data.data[path] ?? []]));
}
