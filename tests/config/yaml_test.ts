import { assertEquals } from "@std/assert";
import { readConfig } from "../../src/config/parse.ts";
import { problemLine } from "../../src/config/problem.ts";
import { fastestMs } from "../support/fastest.ts";

function linesOf(text: string): readonly string[] {
  const reading = readConfig(text);
  return "problems" in reading ? reading.problems.map(problemLine) : [];
}

const NOT_READABLE: readonly (readonly [string, string, string])[] = [
  ["an empty file", "", "file: is empty: env_id and site are required"],
  ["a file of comments", "# nothing\n", "file: is empty: env_id and site are required"],
  ["a list", "- env_id\n", "file: found a list at the top, where a map of keys belongs"],
  ["one word", "env_id\n", "file: found text at the top, where a map of keys belongs"],
  [
    "a key that stands twice",
    "site: a\nenv_id: b\nsite: c\n",
    'line 3: the key "site" stands twice in its map',
  ],
  [
    "a key that stands twice in a section",
    "tenancy:\n  port: 1\n  port: 2\n",
    'line 3: the key "port" stands twice in its map',
  ],
  ["bad indentation", "site: a\n b: 2\n", "line 2: is no YAML: bad indentation of a mapping entry"],
  [
    "an open quote",
    "site: 'a\n",
    "line 2: is no YAML: unexpected end of the stream within a single quoted scalar",
  ],
  ["an unknown alias", "site: *a\n", 'line 1: is no YAML: unidentified alias "a"'],
  ["an unknown tag", "site: !secret a\n", "line 1: is no YAML: unknown tag !<!secret>"],
  [
    "two documents",
    "site: a\n---\nsite: b\n",
    "file: is no YAML: expected a single document in the stream, but found more",
  ],
  ["a file that is too large", "#".repeat(65537), "file: is larger than 65536 bytes"],
];

for (const [what, text, line] of NOT_READABLE) {
  Deno.test(`${what} is told as one problem with its place`, () => {
    assertEquals(linesOf(text), [line]);
  });
}

Deno.test("nesting without end is refused quickly", () => {
  for (const open of ["[", "{a: ", "- "]) {
    const [line] = linesOf(open.repeat(16000 / open.length));
    assertEquals(line?.includes("is no YAML") || line?.includes("nested too deeply"), true, open);
  }
});

Deno.test("aliases that would expand to millions of items cost nothing", () => {
  const levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (let n = 1; n < 20; n++) {
    const [name, before] = [`a${n}`, n === 1 ? "a" : `a${n - 1}`];
    levels.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(", ")}]`);
  }
  const text = `env_id: e\nsite: s\n${levels.join("\n")}\npolicy: {bind_allow: *a19}\n`;
  assertEquals(linesOf(text).length, 30);
  const [ms = Infinity] = fastestMs([() => linesOf(text)], 3);
  assertEquals(ms < 2000, true);
});

Deno.test("what the file holds around an error is not quoted", () => {
  const [line = ""] = linesOf("site: a\npassword: hunter2\n bad\n: [\n");
  assertEquals(line.includes("hunter2"), false);
});
