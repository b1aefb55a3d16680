/** What is made from the table of commands is what lies in the tree; the config's is tested with it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { replaceCommandDocs } from "../../src/cli/command_docs.ts";
import { ALL_OPTIONS, COMMAND_NAMES } from "../../src/cli/command_table.ts";
import { completionScript } from "../../src/cli/completions.ts";
import { manPage } from "../../src/cli/man_page.ts";

function textOf(path: string): string {
  return Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
}

const REMEDY = "run: deno run -A scripts/agent/generate.ts";

const MADE: readonly (readonly [string, () => string])[] = [
  ["packaging/man/monky-deployd.8", manPage],
  ["packaging/completions/monky-deployd.bash", () => completionScript("bash")],
  ["packaging/completions/_monky-deployd", () => completionScript("zsh")],
  ["packaging/completions/monky-deployd.fish", () => completionScript("fish")],
];

for (const [path, make] of MADE) {
  Deno.test(`${path} is what the table of commands makes`, () => {
    assertEquals(textOf(path), make(), REMEDY);
  });
}

Deno.test("the commands in docs/COMMANDS.md are what the table of commands makes", () => {
  const text = textOf("docs/COMMANDS.md");
  assertEquals(replaceCommandDocs(text), text, REMEDY);
});

Deno.test("the man page names every command and option, and is plain man(7)", () => {
  const page = manPage();
  for (const name of COMMAND_NAMES) assertStringIncludes(page, `\n.B ${name}`);
  for (const name of ALL_OPTIONS.keys()) {
    assertStringIncludes(page, `\n.B \\-\\-${name.replaceAll("-", "\\-")}`);
  }
  const macros = new Set(["TH", "SH", "TP", "B", "I", "BR", "PP", "RS", "RE", "br"]);
  for (const line of page.split("\n")) {
    if (line.startsWith(".")) assert(macros.has(line.slice(1).split(" ")[0] ?? ""), line);
    assert(!/(?<!\\)-/.test(line.replace(/^\.TH.*/, "")), `a hyphen that is none: ${line}`);
  }
});

/** Runs the agent itself, with no grants at all. */
async function exitOf(...words: readonly string[]): Promise<readonly [number, string]> {
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-prompt", "--config", config, main, ...words],
    env: { NO_COLOR: "1" },
  }).output();
  return [code, new TextDecoder().decode(stderr)];
}

Deno.test("an unknown command, option or word ends with 64 and names the nearest one", async () => {
  const rows: readonly (readonly [readonly string[], string])[] = [
    [["statsu"], "the nearest one is status"],
    [["tick", "--nwo"], "the nearest one is --now"],
    [["permissions", "--format", "flag"], "known are flags, systemd, json"],
    [["config", "chekc"], "known are check, show"],
  ];
  for (const [words, says] of rows) {
    const [code, stderr] = await exitOf(...words);
    assertEquals(code, 64, stderr);
    assertStringIncludes(stderr, says);
  }
});
