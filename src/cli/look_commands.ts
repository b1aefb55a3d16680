/** The commands that look and change nothing: plan, status, history, render --names. */

import { historyOf, showHistory } from "../core/show_history.ts";
import type { SessionPlan } from "../core/plan_session.ts";
import { planJson, type ShownFailure, showPlan } from "../core/show_plan.ts";
import { showStatus } from "../core/show_status.ts";
import { statusOf } from "../core/status.ts";
import type { Agent } from "../engine/agent.ts";
import { planBundleEnv } from "../engine/env.ts";
import { readMemory } from "../engine/load.ts";
import { observeContainers } from "../engine/observe.ts";
import { readLastTick } from "../engine/metrics.ts";
import { previewTick } from "../engine/preview.ts";
import { readStagedBundle } from "../engine/staged.ts";
import { factsOfToken } from "../engine/session.ts";
import { AgentError, CATALOGUE, EXIT_BY_KIND } from "../errors.ts";

/** What a command prints, and what it ends with. */
export interface Shown {
  readonly text: string;
  readonly code: number;
}

/**
 * Gives what a tick would do and why. The exit code is that of what would stop the tick before there
 * is a decision (no grant, tenancy out of reach); a refusal is a plan like any other. Throws STATE_*, FILE_UNREADABLE.
 */
export async function planText(agent: Agent, json: boolean): Promise<Shown> {
  const { trouble, refusal, ...preview } = await previewTick(agent);
  const view = { ...preview, trouble: shownOf(trouble), refusal: shownOf(refusal) };
  return {
    text: json ? `${JSON.stringify(planJson(view))}\n` : showPlan(view),
    code: exitOf(preview.session, trouble),
  };
}

function exitOf(session: SessionPlan, trouble: AgentError | null): number {
  if (trouble !== null) return EXIT_BY_KIND[trouble.kind];
  return session.kind === "stop" ? EXIT_BY_KIND[CATALOGUE[session.code].kind] : 0;
}

function shownOf(error: AgentError | null): ShownFailure | null {
  if (error === null) return null;
  const { code, message, hint } = error;
  return { code, message, hint };
}

/** Gives what runs, what was applied last, what went wrong. Throws STATE_*, FILE_UNREADABLE. */
export async function statusText(agent: Agent, json: boolean): Promise<string> {
  const { config, ports } = agent;
  const { state, session, found } = await readMemory(agent, { repair: false });
  const observed = await observeContainers(agent);
  const now = ports.clock.now();
  const status = statusOf({
    agentVersion: agent.version,
    site: config.site,
    transport: config.transport,
    renewBelowS: config.bao.renewBelowS,
    state,
    token: session.token === null ? null : factsOfToken(session.token),
    containers: observed.error === null ? observed.containers : null,
    lastTick: await agent.journal.lastTick(),
    lastTickS: await readLastTick(agent),
    found,
    now,
  });
  return json ? `${JSON.stringify(status)}\n` : showStatus(status, now);
}

/** Gives the applies of the past, newest first. Throws STATE_*, FILE_UNREADABLE. */
export async function historyText(agent: Agent, json: boolean): Promise<string> {
  const { state } = await readMemory(agent, { repair: false });
  const applies = historyOf(await agent.journal.applies(), state.history);
  return json ? `${JSON.stringify(applies)}\n` : showHistory(applies);
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
