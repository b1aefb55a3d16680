/**
 * What OpenBao's answers to a login mean (facts: openbao §1.1). Bad credentials are 400 and final;
 * 403 is a wrong mount, a bound address or a disabled entity. The server's texts are matched, and
 * said again in the agent's own words.
 */

import { AgentError, type Code } from "../errors.ts";
import { type BaoAuth, readAuth } from "../model/bao_wire.ts";
import type { Secret } from "../model/secret.ts";
import type { HttpReply } from "../ports.ts";
import { badAnswer, errorTexts, failureOf, jsonOf } from "./openbao_reply.ts";

/** A token, fresh from a login. */
export interface Login {
  readonly token: Secret;
  /** Empty for a token that has none. */
  readonly accessor: string;
  readonly ttlS: number;
  readonly envId: string;
  /** `metadata.grant_jti`; null when the role does not map it. */
  readonly jti: string | null;
  /** What is odd about the token, in whole clauses; the login counts all the same. */
  readonly warnings: readonly string[];
}

const WHAT = "the login";

/** Takes the reply of a login; gives its auth part. Throws as `OpenBao.login` does. */
export function authOfLogin(reply: HttpReply, mount: string): BaoAuth {
  if (reply.status !== 200) throw loginFailure(reply, mount);
  const read = readAuth(jsonOf(reply, WHAT));
  if (read === null) throw badAnswer(reply, WHAT, "of another shape than a login's");
  if (read.kind === "wrapped") {
    throw refused("OpenBao wrapped the login's token, and this agent unwraps nothing", reply);
  }
  if (read.auth.clientToken === "") {
    throw refused("OpenBao wants a second factor for this login and gave no token", reply);
  }
  return read.auth;
}

/** Takes the auth of a login; gives what is odd about it. */
export function loginWarnings(auth: BaoAuth): readonly string[] {
  const warnings: string[] = [];
  if (auth.warnings.some((text) => /\bcapped\b/i.test(text))) {
    warnings.push(`OpenBao capped the token's life at ${auth.ttlS} s`);
  } else if (auth.warnings.length > 0) {
    warnings.push("OpenBao attached a warning to the login");
  }
  if (!auth.renewable) warnings.push("the token cannot be renewed");
  if (auth.uses > 0) {
    warnings.push(
      `the token ends after ${auth.uses} requests: the role has token_num_uses, which an agent ` +
        "cannot live with",
    );
  }
  return warnings;
}

/** Clauses of OpenBao's 400 → code and our words. The first that matches counts. */
const REFUSALS: readonly (readonly [RegExp, Code, string])[] = [
  [/token is expired|\(exp\) claim/i, "GRANT_EXPIRED", "the grant has expired"],
  [
    /\(nbf\) claim|\(iat\) claim/i,
    "GRANT_NOT_YET_VALID",
    "the grant lies in the future of OpenBao's clock",
  ],
  [/signature|known key/i, "BAO_LOGIN_REFUSED", "no key of tenancy's verifies the grant"],
  [/\(alg\) header/i, "BAO_LOGIN_REFUSED", "the grant is signed with another algorithm"],
  [/\(iss\) claim/i, "BAO_LOGIN_REFUSED", "the grant's issuer is not the mount's"],
  [/\(aud\) claim/i, "BAO_LOGIN_REFUSED", "the grant's audience is not the role's"],
  [/role ".*" could not be found/i, "BAO_LOGIN_REFUSED", "bao.role names no role of the mount"],
  [/could not load configuration/i, "BAO_LOGIN_REFUSED", "the auth mount has no configuration"],
  [/claim "kind"/i, "BAO_LOGIN_REFUSED", "the grant is of another kind than the role takes"],
  [/claim "sub"/i, "BAO_LOGIN_REFUSED", "the grant names no subject"],
  [/error converting claim/i, "BAO_LOGIN_REFUSED", "a claim of the grant is not a string"],
  [/error validating claims/i, "BAO_LOGIN_REFUSED", "a claim of the grant is not the role's"],
];

function loginFailure(reply: HttpReply, mount: string): AgentError {
  const texts = errorTexts(reply);
  if (texts === null) return failureOf(reply, WHAT);
  if (reply.status === 403) {
    return refused(
      `OpenBao refused the login at auth mount "${mount}" with 403, which is what a mount that does ` +
        "not exist gives, and a bound address or a disabled entity too",
      reply,
    );
  }
  if (reply.status !== 400) return failureOf(reply, WHAT);
  const said = texts.join("\n");
  for (const [pattern, code, message] of REFUSALS) {
    if (!pattern.test(said)) continue;
    return new AgentError(code, `OpenBao refused the login: ${message}`, {
      data: { status: reply.status },
    });
  }
  return refused("OpenBao refused the login: it does not accept the grant", reply);
}

function refused(message: string, reply: HttpReply): AgentError {
  return new AgentError("BAO_LOGIN_REFUSED", message, { data: { status: reply.status } });
}
