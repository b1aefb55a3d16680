/** What `status` and `history` print for a person. Pure; the JSON form is the state itself. */

import type { AgentState } from "../model/state.ts";
import { servicesOf } from "./services.ts";
import type { Container } from "../model/containers.ts";
import { lifeLeftS, type TokenFacts } from "./session_facts.ts";

/** What is shown. */
export interface StatusView {
  readonly state: AgentState;
  readonly token: TokenFacts | null;
  /** Null: the Engine cannot be asked. */
  readonly containers: readonly Container[] | null;
  readonly now: number;
  readonly agentVersion: string;
}

/** Takes what is known of the box; gives the lines for a person, each ended. */
export function showStatus(view: StatusView): string {
  const { state } = view;
  const rows: (readonly [string, string])[] = [
    ["env", `${state.envId} (project ${state.project})`],
    ["agent", view.agentVersion],
    ["applied", state.applied === null ? "nothing" : releaseText(state.applied)],
  ];
  if (state.applying !== null) rows.push(["unfinished", unfinishedText(state)]);
  if (state.failed !== null) {
    rows.push(["failed", failedText(state.failed)]);
    for (const text of state.failed.detail?.split("\n") ?? []) rows.push(["", text]);
  }
  rows.push(["token", tokenText(view)]);
  if (state.outbox.length > 0) {
    rows.push(["reports", `${state.outbox.length} not delivered yet`]);
  }
  return `${[...rows, ...serviceRows(view)].map(line).join("\n")}\n`;
}

/** Takes the state; gives the applied releases, newest first, one a line. */
export function showHistory(state: AgentState): string {
  if (state.history.length === 0) return "nothing was applied yet\n";
  return `${[...state.history].reverse().map(releaseText).join("\n")}\n`;
}

function releaseText(release: AgentState["history"][number]): string {
  const serial = release.serial === null ? "" : ` serial ${release.serial}`;
  return `${release.sha.slice(0, 12)}${serial} at ${release.at}`;
}

/** A tick that is at it, one that was stopped, and one that failed leave the same mark. */
function unfinishedText({ applying, failed }: AgentState): string {
  if (applying === null) return "";
  const { sha, step, since } = applying;
  const how = failed?.sha === sha
    ? "failed, and what it began stays until the next apply"
    : `reached ${step}; a tick is at it, or was stopped in it and the next one goes on`;
  return `${sha.slice(0, 12)} since ${since}: ${how}`;
}

function failedText(failed: NonNullable<AgentState["failed"]>): string {
  const next = new Date(failed.nextAttemptAt).toISOString();
  const times = failed.attempts === 1 ? "once" : `${failed.attempts} times`;
  const then = failed.quarantined
    ? "quarantined until another release is desired, or tick --now"
    : `next attempt ${next}`;
  return `${failed.sha.slice(0, 12)} ${times} with ${failed.code}, ${then}`;
}

function tokenText({ token, now }: StatusView): string {
  return token === null ? "none" : `from a ${token.source}, ${lifeLeftS(token, now)} s left`;
}

function serviceRows({ containers, state }: StatusView): readonly (readonly [string, string])[] {
  if (containers === null) return [["services", "unknown: the Docker Engine cannot be asked"]];
  const services = servicesOf(containers).map(({ name, state, health, image }) =>
    `${name} ${state}${health === null ? "" : ` (${health})`} ${image}`
  );
  const seen = new Set(containers.map((each) => each.service));
  const missing = Object.entries(state.released ?? {})
    .filter(([name, { count, oneShot }]) => count > 0 && !oneShot && !seen.has(name))
    .map(([name]) => `${name} missing`);
  const all = [...services, ...missing];
  if (all.length === 0) return [["services", "none"]];
  return all.map((text, index) => [index === 0 ? "services" : "", text]);
}

function line([head, text]: readonly [string, string]): string {
  return `${head.padEnd(10)} ${text}`;
}
