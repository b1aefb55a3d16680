/** What `doctor` prints: the cause first, then every check. Pure. */

import { type Finding, firstCause } from "./doctor/checks.ts";

const NAMES: Readonly<Record<Finding["state"], string>> = {
  ok: "ok",
  warn: "warn",
  fail: "FAIL",
  not_checked: "-",
  not_needed: "-",
};

/** Where details begin. */
const INDENT = " ".repeat(16);

/** Takes the findings; gives the cause with its fix, then a line each, and the fix below what needs one. */
export function showFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, state, code, detail, fix }) => [
    `${NAMES[state].padEnd(5)} ${check.padEnd(9)} ${withCode(code, detail)}`
      .replaceAll("\n", `\n${INDENT}`),
    ...(fix === null ? [] : [`${INDENT}do: ${fix}`]),
  ]);
  return `${[...headOf(findings), ...lines].join("\n")}\n`;
}

/** Takes the findings; gives them as one JSON document for machines. */
export function findingsJson(findings: readonly Finding[], agentVersion: string): string {
  const cause = firstCause(findings);
  const document = {
    agent_version: agentVersion,
    healthy: cause === null,
    cause: cause === null ? null : wire(cause),
    checks: findings.map(wire),
  };
  return `${JSON.stringify(document)}\n`;
}

function headOf(findings: readonly Finding[]): readonly string[] {
  const cause = firstCause(findings);
  if (cause === null) {
    const warnings = findings.filter(({ state }) => state === "warn").length;
    return [
      warnings === 0 ? "a tick has all it needs" : `a tick has all it needs; warnings: ${warnings}`,
    ];
  }
  const { check, code, detail, fix } = cause;
  return [`cause: ${check}: ${withCode(code, detail)}`, `do:    ${fix ?? ""}`, ""];
}

function withCode(code: string | null, detail: string): string {
  return code === null ? detail : `${code}: ${detail}`;
}

function wire(
  { check, state, code, detail, fix, blockedBy }: Finding,
): Readonly<Record<string, unknown>> {
  return { check, state, code, detail, fix, blocked_by: blockedBy };
}
