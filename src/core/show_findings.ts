/** What `doctor` prints. Pure. */

/** One finding of the doctor. */
export interface ShownFinding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix: string | null;
}

/** Takes the findings; gives a line each, and the fix below what needs one. */
export function showFindings(findings: readonly ShownFinding[]): string {
  const lines = findings.flatMap(({ name, state, detail, fix }) => [
    `${state.padEnd(5)} ${name.padEnd(9)} ${detail}`,
    ...(fix === null ? [] : [`      ${"".padEnd(9)} ${fix}`]),
  ]);
  return `${lines.join("\n")}\n`;
}
