/**
 * Old tokens are revoked after a swap (SPEC §5): best effort, each kept until OpenBao confirms its
 * end. Nothing waits for it, so a failure is paced and never a tick's.
 */

import { isRevocationDue, withFailedRevocation, withRevoked } from "../core/session_change.ts";
import { asAgentError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";

/** Revokes what was replaced, as far as OpenBao lets it. Throws DISK_FULL, FILE_UNWRITABLE. */
export async function revokeOldTokens(agent: Agent, memory: Memory): Promise<void> {
  const { log, clock, random } = agent.ports;
  if (!isRevocationDue(memory.session, clock.now())) return;
  for (const old of memory.session.revoke) {
    try {
      const revocation = await agent.bao.revokeSelf(old.value);
      if (revocation === "forbidden") {
        log.write("warn", "an old token may not revoke itself; it ends by its own time", {
          accessor: old.accessor,
        });
      }
    } catch (thrown) {
      const error = asAgentError(thrown);
      if (error.kind === "bug") throw error;
      log.write("info", "an old token is revoked later", { code: error.code });
      const facts = { now: clock.now(), fraction: random.fraction() };
      await memory.saveSession(withFailedRevocation(memory.session, facts));
      return;
    }
    await memory.saveSession(withRevoked(memory.session, old));
  }
}
