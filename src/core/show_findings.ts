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
const INDENT = " ".repeat(17);

/** What a person calls a check; its name for machines stays. */
const SHOWN: Readonly<Partial<Record<Finding["check"], string>>> = { policy: "bao policy" };

/** Takes the findings; gives the cause with its fix, then a line each, and the fix below what needs one. */
export function showFindings(findings: readonly Finding[]): string {
  const blind = findings.filter(({ blockedBy }) => blockedBy === "config");
  const lines = findings.filter((each) => !blind.includes(each))
    .flatMap(({ check, state, code, detail, fix }) => [
      `${NAMES[state].padEnd(5)} ${(SHOWN[check] ?? check).padEnd(10)} ${withCode(code, detail)}`
        .replaceAll("\n", `\n${INDENT}`),
      ...(fix === null ? [] : [`${INDENT}do: ${fix}`]),
    ]);
  const rest = blind.length === 0 ? [] : [`-     and ${blind.length} checks that need the config`];
  return `${[...headOf(findings), ...lines, ...rest].join("\n")}\n`;
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
    const warnings = findings.filter(({ state }) => state === "warn");
    const release = warnings.find(({ check }) => check === "release");
    const but = release === undefined ? "" : `, but ${withCode(release.code, release.detail)}`;
    const count = warnings.length === 0 ? "" : `; warnings: ${warnings.length}`;
    return [`a tick has all it needs${but}${count}`];
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
