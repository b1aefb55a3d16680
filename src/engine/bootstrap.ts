/**
 * The login with the grant that the install kit left (SPEC §4.4): the token is on disk before the
 * grant is gone, so that a death in between costs nothing but a file that the next tick removes.
 */

import type { GrantFileRead } from "../clients/grant_file.ts";
import type { Login } from "../clients/openbao.ts";
import { withConsumed } from "../core/session_change.ts";
import { asAgentError, hasCode } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { keepToken } from "./keep_token.ts";
import type { Memory } from "./memory.ts";

/** A bootstrap grant that can be read. */
export type PresentGrant = GrantFileRead & { readonly kind: "present" };

/**
 * How a login ended: a token in the session; none, and what there is has to do; or a grant that is
 * not offered again.
 */
export type BootstrapEnd = "loggedIn" | "failed" | "refused";

/**
 * Logs in and keeps the token. `tolerant`: a token works already, so that a login which fails is a
 * warning. Throws what `OpenBao.login` throws, DISK_FULL, FILE_UNWRITABLE.
 */
export async function bootstrap(
  agent: Agent,
  memory: Memory,
  { found, tolerant }: { readonly found: PresentGrant; readonly tolerant: boolean },
): Promise<BootstrapEnd> {
  const { log } = agent.ports;
  const { grant, claims } = found;
  let login: Login;
  try {
    login = await agent.bao.login(grant);
  } catch (thrown) {
    if (!tolerant) throw thrown;
    return await tolerate(agent, memory, { thrown, jti: claims.jti });
  }
  await keepToken(agent, memory, { login, origin: { source: "bootstrap", claims } });
  log.write("info", "logged in with the bootstrap grant", { ttl_s: login.ttlS });
  if (!await agent.grants.remove()) {
    // Not a fault: on an installed box the folder is root's, and the grant ends by itself.
    log.write("info", "the bootstrap grant cannot be removed; it is remembered as used", {
      file: agent.config.bootstrapFile,
    });
  }
  return "loggedIn";
}

/** Removes a grant that the token in use came from: an earlier tick died before it could. */
export async function removeUsedGrant(
  agent: Agent,
  memory: Memory,
  found: GrantFileRead,
): Promise<void> {
  if (found.kind !== "present" || memory.session.token?.jti !== found.claims.jti) return;
  if (await agent.grants.remove()) {
    agent.ports.log.write("info", "removed a bootstrap grant that was used before", {
      file: agent.config.bootstrapFile,
    });
  }
}

/**
 * Only a grant that can never give this box a token is crossed off: a clock, a role or a key of
 * OpenBao's that is put right later makes the others good again.
 */
async function tolerate(
  agent: Agent,
  memory: Memory,
  { thrown, jti }: { readonly thrown: unknown; readonly jti: string },
): Promise<BootstrapEnd> {
  const error = asAgentError(thrown);
  if (error.kind === "bug" || error.kind === "config") throw error;
  agent.ports.log.write("warn", "the newer grant gave no token, the one there is stays", {
    code: error.code,
    why: error.message,
  });
  if (!hasCode(error, "GRANT_EXPIRED", "BAO_ENV_MISMATCH")) return "failed";
  await memory.saveSession(withConsumed(memory.session, jti));
  return "refused";
}
