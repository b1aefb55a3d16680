/**
 * A token that was just gained becomes the box's: durable first, then current. One that cannot be
 * made durable is ended again, or each tick on a full disk would leave one that lives for a day
 * (facts: openbao §5 row 6).
 */

import type { Login } from "../clients/openbao.ts";
import { withToken } from "../core/session_change.ts";
import type { GrantClaims } from "../model/grant.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";

/** The grant that the token was exchanged for, and where it came from. */
export interface TokenOrigin {
  readonly source: "bootstrap" | "lease";
  readonly claims: GrantClaims;
}

/** Saves the session with the token. Throws DISK_FULL, FILE_UNWRITABLE; the session is then as before. */
export async function keepToken(
  agent: Agent,
  memory: Memory,
  { login, origin }: { readonly login: Login; readonly origin: TokenOrigin },
): Promise<void> {
  const { log, clock } = agent.ports;
  const { token: value, accessor, ttlS, warnings } = login;
  const facts = { now: clock.now(), renewBelowS: agent.config.bao.renewBelowS };
  try {
    await memory.saveSession(
      withToken(memory.session, { value, accessor, ttlS, ...origin }, facts),
    );
  } catch (thrown) {
    if (!await mayBeOnDisk(agent, accessor)) {
      await agent.bao.revokeSelf(value).catch(() => "forbidden");
    }
    throw thrown;
  }
  for (const warning of warnings) log.write("warn", "OpenBao warns", { what: warning });
}

/** A write can fail after the rename; then the next tick finds the new token, and needs it alive. */
async function mayBeOnDisk(agent: Agent, accessor: string): Promise<boolean> {
  try {
    const { session } = await agent.sessions.read({ repair: false });
    return session.token?.accessor === accessor;
  } catch {
    return true;
  }
}
