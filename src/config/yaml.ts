/**
 * The text of a config file → a tree of plain values, or the one problem that keeps it from being
 * read. Size and depth are bounded; aliases are allowed, since the tree is walked by the table of
 * keys and never expanded. YAML 1.2 core schema: `yes` is text, a date is text.
 */

import { parse } from "@std/yaml";
import type { ConfigProblem } from "./problem.ts";
import { foundType, quoted } from "./problem.ts";

/** Largest config file in bytes. */
export const MAX_CONFIG_BYTES = 65536;

/** A map of a YAML document. */
export type YamlMap = Readonly<Record<string, unknown>>;

/** What reading a YAML text gave. */
export type YamlReading = { readonly tree: YamlMap } | { readonly problem: ConfigProblem };

/** Takes any text; gives its top map, or what is wrong. Throws nothing. */
export function readYaml(text: string): YamlReading {
  const problem = (wrong: string): YamlReading => ({
    problem: { path: "file", wrong, allowed: null },
  });
  if (new TextEncoder().encode(text).length > MAX_CONFIG_BYTES) {
    return problem(`is larger than ${MAX_CONFIG_BYTES} bytes`);
  }
  let tree: unknown;
  try {
    tree = parse(text, { schema: "core" });
  } catch (error) {
    // Anything but a SyntaxError means nesting beyond the parser's stack.
    if (!(error instanceof SyntaxError)) return problem("is nested too deeply");
    return { problem: syntaxProblem(error.message, text) };
  }
  if (tree === null || tree === undefined) {
    return problem("is empty: env_id and site are required");
  }
  if (!isYamlMap(tree)) {
    return problem(`${foundType(tree)} at the top, where a map of keys belongs`);
  }
  return { tree };
}

/** Takes a value of a YAML tree; says whether it is a map. */
export function isYamlMap(value: unknown): value is YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first line of the parser's message holds the reason and the place; the rest quotes the file. */
function syntaxProblem(message: string, text: string): ConfigProblem {
  const first = message.split("\n")[0] ?? "";
  const place = /\((\d+):(\d+)\)|\bat line (\d+), column (\d+)/.exec(first);
  const line = place?.[1] ?? place?.[3];
  const reason = first.replace(place?.[0] ?? "", "").replace(/[\s:]+$/, "").slice(0, 120);
  const path = line === undefined ? "file" : `line ${line}`;
  if (!/duplicat/i.test(reason)) return { path, wrong: `is no YAML: ${reason}`, allowed: null };
  const key = /^\s*(?:[{,]\s*)?["']?([A-Za-z0-9_.-]+)["']?\s*:/.exec(
    text.split(/\r\n|\r|\n/)[Number(line) - 1] ?? "",
  )?.[1];
  const what = key === undefined ? "a key" : `the key ${quoted(key)}`;
  return { path, wrong: `${what} stands twice in its map`, allowed: null };
}
