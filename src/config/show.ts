/** What `config show` and `config check` print. Pure; a config holds no secret, so values are printed. */

import { type ConfigProblem, problemLine } from "./problem.ts";
import type { ParsedConfig } from "./parse.ts";

/** Takes a config; gives one line per key, aligned: key, value, and where the value came from. */
export function showConfig({ effective, sources }: ParsedConfig): string {
  const rows = [...effective].map(([path, value]) =>
    [path, value, sources.get(path) ?? ""] as const
  );
  const keyWidth = Math.max(...rows.map(([path]) => path.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length).filter((n) => n <= 60));
  const lines = rows.map(([path, value, source]) =>
    `${path.padEnd(keyWidth)}  ${value.padEnd(valueWidth)}  ${source}`
  );
  return `${lines.join("\n")}\n`;
}

/** Takes the problems of a config, none if it holds; gives `OK` or one line per problem. */
export function showCheck(problems: readonly ConfigProblem[]): string {
  return problems.length === 0 ? "OK\n" : `${problems.map(problemLine).join("\n")}\n`;
}
