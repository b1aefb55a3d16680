/**
 * Golden files: output of the agent as a person reads it, kept beside the tests. `MONKY_GOLDEN=write`
 * writes them anew, to be looked at before they are committed.
 */

import { assertEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";

/**
 * Takes what a box printed; gives it with all that differs from run to run replaced: the box's name
 * and folder, dates, spans of time, seconds of a token's life, hints (they stand in the catalogue).
 * Shas stay: the bundles are always the same.
 */
export function steady(text: string, box: Pick<Box, "env" | "dir">): string {
  return text
    .replaceAll(box.dir, "<dir>")
    .replaceAll(box.env, "<env>")
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, "<time>")
    .replaceAll(/\b\d+ (?:d|h|min|s)(?: \d+ (?:h|min|s))? (ago|left)\b/g, "<span> $1")
    .replaceAll(/\bin \d+ (?:d|h|min|s)(?: \d+ (?:h|min|s))?\b/g, "in <span>")
    .replaceAll(/\b\d+ (?:d|h|min) \d+ (?:h|min|s)\b|\b\d+ (?:d|h|min)\b/g, "<s>")
    .replaceAll(/\b\d+(?:\.\d+)? s\b/g, "<s>")
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "<clock>")
    .replaceAll(/\bms=\d+/g, "ms=<ms>")
    .replaceAll(/^( +do:? +).+$/gm, "$1<hint>")
    .replaceAll(/\b127\.0\.0\.1:\d+\b/g, "<address>");
}

/** Compares a text with `tests/golden/<name>`, or writes that file when it is asked for. */
export async function assertGolden(name: string, text: string): Promise<void> {
  const path = new URL(`../golden/${name}`, import.meta.url).pathname;
  if (Deno.env.get("MONKY_GOLDEN") === "write") {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text);
    return;
  }
  assertEquals(text, await Deno.readTextFile(path), `tests/golden/${name}`);
}
