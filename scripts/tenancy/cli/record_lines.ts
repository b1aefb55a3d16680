// The record of a tenancy as lines for a person.

import type { RecordedReport, RecordedRequest, Violation } from "../record.ts";

/** The part of the record that is shown. */
export interface RecordReply {
  readonly requests: readonly RecordedRequest[];
  readonly reports: readonly RecordedReport[];
  readonly violations: readonly Violation[];
}

const MAX_REQUESTS = 50;

/** The last requests, every report with its steps, and every violation. */
export function recordLines(record: RecordReply): string[] {
  const { requests, reports, violations } = record;
  if (requests.length + violations.length === 0) return ["no agent has sent anything"];
  return [
    `requests (${requests.length}${
      requests.length > MAX_REQUESTS ? `, last ${MAX_REQUESTS}` : ""
    })`,
    ...requests.slice(-MAX_REQUESTS).map(requestLine),
    `reports (${reports.length})`,
    ...reports.flatMap(reportLines),
    `violations (${violations.length})`,
    ...violations.map(({ at, call, message }) => `  ${at} ${call ?? "-"}: ${message}`),
  ];
}

function requestLine(request: RecordedRequest): string {
  const fault = request.fault === null ? "" : ` fault ${request.fault}`;
  const status = request.status ?? "unanswered";
  const id = request.headers["x-request-id"] ?? "-";
  return `  ${request.at} ${(request.call ?? request.method).padEnd(7)} ${
    request.env ?? "-"
  } ${status}${fault} request-id ${id}`;
}

function reportLines(report: RecordedReport): string[] {
  const code = report.code === undefined ? "" : ` ${report.code}`;
  const serial = report.serial === null ? "" : ` serial ${report.serial}`;
  const again = report.duplicates === 0 ? "" : ` (sent ${report.duplicates + 1} times)`;
  const steps = report.steps.map(({ action, ms, ok }) =>
    `${action} ${ms} ms${ok ? "" : " FAILED"}`
  );
  return [
    `  ${report.at} ${report.env_id} ${report.result}${code} ` +
    `${report.sha?.slice(0, 12) ?? "-"}${serial}${again}`,
    ...(report.detail === undefined ? [] : [`    ${report.detail.split("\n").join("\n    ")}`]),
    ...(steps.length === 0 ? [] : [`    ${steps.join(", ")}`]),
    ...report.services.map(({ name, state, health }) => `    ${name}: ${state} ${health ?? ""}`),
    ...(report.secrets.length === 0 ? [] : [
      `    secrets: ${report.secrets.map((s) => `${s.var} v${s.version}`).join(", ")}`,
    ]),
  ].map((line) => line.trimEnd());
}
