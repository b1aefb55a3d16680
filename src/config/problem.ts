/**
 * What is wrong with a config file: the shape of one problem, and how a list of them is printed and
 * thrown. Owns the wording's frame; the words themselves come from the kinds and checks.
 */

import { AgentError } from "../errors.ts";

/** One thing that is wrong in a config file. */
export interface ConfigProblem {
  /** The key path (`tenancy.port`, `policy.bind_allow[2]`), `line N` for a YAML error, or `file`. */
  readonly path: string;
  /** What is wrong, e.g. `found text`. */
  readonly wrong: string;
  /** What would be right; null when `wrong` says it already. */
  readonly allowed: string | null;
}

/** How many problems are printed; of more, the number is. */
export const MAX_PRINTED = 100;

/** Takes a problem; gives its one line: `tenancy.port: found text; allowed: a whole number …`. */
export function problemLine(problem: ConfigProblem): string {
  const allowed = problem.allowed === null ? "" : `; allowed: ${problem.allowed}`;
  return `${problem.path}: ${problem.wrong}${allowed}`;
}

/** Takes a non-empty list of problems; gives CONFIG_INVALID whose message has each on a line of its own. */
export function configInvalid(problems: readonly ConfigProblem[]): AgentError {
  const lines = problems.slice(0, MAX_PRINTED).map((problem) => `  ${problemLine(problem)}`);
  const unprinted = problems.length - lines.length;
  if (unprinted > 0) lines.push(`  and ${unprinted} more`);
  const count = problems.length === 1 ? "one problem" : `${problems.length} problems`;
  return new AgentError("CONFIG_INVALID", `the config has ${count}:\n${lines.join("\n")}`, {
    data: { problems: problems.length },
  });
}

/** Takes text from a config or a command line; gives it quoted, on one line, cut at 40 characters. */
export function quoted(text: string): string {
  const characters = [...text];
  const cut = characters.length > 40 ? `${characters.slice(0, 40).join("")}…` : text;
  return JSON.stringify(cut).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "?");
}

/** Takes a value that YAML gave; says what it is, never what it holds. */
export function foundType(value: unknown): string {
  if (value === null || value === undefined) return "found nothing";
  if (Array.isArray(value)) return "found a list";
  switch (typeof value) {
    case "string":
      return "found text";
    case "number":
      return "found a number";
    case "boolean":
      return "found true or false";
    default:
      return "found a map";
  }
}
