/** The command `doctor`: opens the agent, or says why it cannot be opened; examines; prints. */

import { firstCause } from "../core/doctor/checks.ts";
import { findingsJson, showFindings } from "../core/show_findings.ts";
import type { Agent } from "../engine/agent.ts";
import { examine, examineNothing } from "../engine/doctor.ts";
import { asAgentError, EXIT_BY_KIND } from "../errors.ts";
import { VERSION } from "../version.ts";

/** What the command needs. */
export interface DoctorOptions {
  readonly configPath: string;
  readonly json: boolean;
  /** Gives the agent. Throws CONFIG_MISSING, CONFIG_INVALID, FILE_UNREADABLE, PERMISSION_MISSING. */
  readonly openAgent: () => Promise<Agent>;
}

/**
 * Gives the answer and the exit code: 0 when a tick has all it needs, 78 when the config keeps it
 * from that, else 1. Throws only a bug.
 */
export async function doctorText(
  { configPath, json, openAgent }: DoctorOptions,
): Promise<{ readonly text: string; readonly code: number }> {
  const agent = await openAgent().catch((thrown) => {
    const error = asAgentError(thrown);
    if (error.kind === "bug") throw error;
    return error;
  });
  const findings = "config" in agent
    ? await examine(agent, configPath)
    : examineNothing(agent, configPath);
  const cause = firstCause(findings);
  const text = json ? findingsJson(findings, VERSION) : showFindings(findings);
  if (cause === null) return { text, code: 0 };
  return { text, code: cause.check === "config" ? EXIT_BY_KIND.config : EXIT_BY_KIND.failed };
}
