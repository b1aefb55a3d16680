/**
 * Reports that tenancy does not have yet (SPEC §4.5, §4.9): delivered oldest first, removed one by
 * one as tenancy takes them. A report that cannot be delivered never fails a tick.
 */

import { type AgentError, asAgentError, hasCode } from "../errors.ts";
import type { Secret } from "../model/secret.ts";
import type { Agent } from "./agent.ts";
import type { Memory } from "./memory.ts";

/**
 * Sends what is kept. A report that tenancy will never take (refused as malformed) is dropped and
 * said; one that something on the way does not let through is kept, and those behind it are sent; on
 * any other failure the rest is kept for the next tick. So it is when the state cannot be
 * written: tenancy takes a report_id once, and a full disk must not keep the box from checking in.
 * Throws AGENT_UNAUTHENTICATED and AGENT_ENV_MISMATCH, which are about the token and not the report.
 */
export async function deliverReports(agent: Agent, memory: Memory, token: Secret): Promise<void> {
  const { log } = agent.ports;
  for (const report of memory.state.outbox) {
    try {
      await agent.tenancy.report(token, report);
    } catch (thrown) {
      if (hasCode(thrown, "AGENT_UNAUTHENTICATED", "AGENT_ENV_MISMATCH")) throw thrown;
      const error = asAgentError(thrown);
      const fields = { report_id: report.report_id, code: error.code, why: error.message };
      if (error.code !== "TENANCY_REFUSED") {
        log.write("warn", "report kept for the next tick", fields);
        if (isOfOneReport(error)) continue;
        return;
      }
      log.write("error", "report dropped, tenancy refuses it", fields);
    }
    const outbox = memory.state.outbox.filter((each) => each.report_id !== report.report_id);
    try {
      await memory.saveState({ ...memory.state, outbox });
    } catch (thrown) {
      const { code, message } = asAgentError(thrown);
      log.write("warn", "a delivered report cannot be forgotten", { code, why: message });
      return;
    }
  }
}

/** A proxy's own page about what it was sent, as over its limit for a body: the next may be smaller. */
const ABOUT_THE_REPORT: readonly unknown[] = [400, 403, 413];

function isOfOneReport({ code, data: { status } }: AgentError): boolean {
  return code === "TENANCY_BAD_ANSWER" && ABOUT_THE_REPORT.includes(status);
}
