/** What was seen, in words: facts in, lines out. */

import type { AgentRun } from "../box/run.ts";
import type { RecordedReport } from "../tenancy/mod.ts";
import type { Seen } from "./scene.ts";

const DETAIL_LINES = 6;

/** Takes what was seen; gives what tenancy was told, line by line. */
export function toldLines({ run, reports }: Seen): readonly string[] {
  if (run.requests.tenancy === 0) return ["nothing: the agent did not come that far"];
  if (reports.length === 0) return ["nothing but the check-in: there is nothing to tell"];
  return reports.flatMap(reportLines);
}

/** Takes a run; gives what it cost. */
export function costLine({ requests, children, writes }: AgentRun): string {
  const { tenancy, docker, bao } = requests;
  return `requests: ${tenancy} to tenancy, ${docker} to Docker, ${bao} to OpenBao; ` +
    `programs started: ${children.length}; paths written: ${writes.length}`;
}

function reportLines(report: RecordedReport): readonly string[] {
  const { result, code, steps, token_source, services, secrets } = report;
  const ms = Date.parse(report.finished_at) - Date.parse(report.started_at);
  const token = token_source === null ? "" : `, token from a ${token_source}`;
  const states = services.map(({ name, state, health }) =>
    `${name} ${state}${health === null ? "" : ` (${health})`}`
  );
  const versions = secrets.map((secret) => `with ${secret.var}, version ${secret.version}`);
  // Which secrets something ran with is past once it is gone.
  const facts = states.length === 0 ? ["no service is left"] : [...states, ...versions];
  return [
    `${result}${code === undefined ? "" : `, ${code}`}: ${count(steps.length, "step")} in ` +
    `${(ms / 1000).toFixed(1)} s${token}`,
    facts.join("; "),
    ...detailLines(report.detail),
  ];
}

function detailLines(detail: string | undefined): readonly string[] {
  const lines = (detail ?? "").split("\n").filter((line) => line !== "");
  const left = lines.length - DETAIL_LINES;
  const shown = lines.slice(0, DETAIL_LINES).map((line) => `| ${line}`);
  return left > 0 ? [...shown, `| … and ${count(left, "line")} more`] : shown;
}

function count(n: number, thing: string): string {
  return `${n} ${thing}${n === 1 ? "" : "s"}`;
}
