/** The commands that look and change nothing: plan, status, history, render --names, doctor. */

import { showPlan } from "../core/show_plan.ts";
import { showFindings } from "../core/show_findings.ts";
import { showHistory, showStatus } from "../core/show_status.ts";
import type { Agent } from "../engine/agent.ts";
import { examine } from "../engine/doctor.ts";
import { planBundleEnv } from "../engine/env.ts";
import { readMemory } from "../engine/load.ts";
import { observeContainers } from "../engine/observe.ts";
import { previewTick } from "../engine/preview.ts";
import { readStagedBundle } from "../engine/staged.ts";
import { factsOfToken } from "../engine/session.ts";
import { AgentError } from "../errors.ts";

/** Gives what a tick would do and why. Throws what stops a tick before there is a decision. */
export async function planText(agent: Agent): Promise<string> {
  return showPlan(await previewTick(agent));
}

/** Gives what runs, what was applied last, what went wrong. Throws STATE_*, FILE_UNREADABLE. */
export async function statusText(agent: Agent, json: boolean): Promise<string> {
  const { state, session } = await readMemory(agent, { repair: false });
  const observed = await observeContainers(agent);
  const containers = observed.error === null ? observed.containers : null;
  const token = session.token === null ? null : factsOfToken(session.token);
  if (json) {
    return `${JSON.stringify({ agent_version: agent.version, ...state, token, containers })}\n`;
  }
  const now = agent.ports.clock.now();
  return showStatus({ state, token, containers, now, agentVersion: agent.version });
}

/** Gives the applies of the past, newest first. Throws STATE_*, FILE_UNREADABLE. */
export async function historyText(agent: Agent, json: boolean): Promise<string> {
  const { state } = await readMemory(agent, { repair: false });
  return json ? `${JSON.stringify([...state.history].reverse())}\n` : showHistory(state);
}

/** Gives what the checks found, and whether a tick can work. Throws nothing that a check foresees. */
export async function doctorText(
  agent: Agent,
): Promise<{ readonly text: string; readonly healthy: boolean }> {
  const findings = await examine(agent);
  return {
    text: showFindings(findings),
    healthy: findings.every(({ state }) => state !== "fail"),
  };
}

/**
 * Gives the names of the variables that the current release's `.env` holds, one a line. Throws
 * NOT_APPLIED when nothing was applied yet.
 */
export async function renderNamesText(agent: Agent): Promise<string> {
  const sha = await agent.releases.current();
  if (sha === null) {
    throw new AgentError("NOT_APPLIED", "nothing was applied yet: there is no .env");
  }
  const { variables } = planBundleEnv(await readStagedBundle(agent, sha));
  return `${[...variables.keys()].sort().join("\n")}\n`;
}
