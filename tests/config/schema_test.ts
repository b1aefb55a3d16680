import { assertEquals } from "@std/assert";
import { replaceDocsTable } from "../../src/config/docs_table.ts";
import { renderExample } from "../../src/config/example.ts";
import { parseConfig, readConfig } from "../../src/config/parse.ts";
import { KEY_PATHS, KEYS } from "../../src/config/schema.ts";

function textOf(path: string): string {
  return Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
}

Deno.test("packaging/config.example.yaml is what the table of keys makes", () => {
  assertEquals(textOf("packaging/config.example.yaml"), renderExample());
});

Deno.test("the table in docs/CONFIG.md is what the table of keys makes", () => {
  const text = textOf("docs/CONFIG.md");
  assertEquals(replaceDocsTable(text), text);
});

Deno.test("the example is a valid config as it is", () => {
  const { sources } = parseConfig(renderExample());
  const given = [...sources].filter(([, source]) => source === "file").map(([path]) => path);
  assertEquals(given, ["env_id", "site"]);
});

Deno.test("the example is a valid config with every key taken out of its comment", () => {
  const text = renderExample().replaceAll(/^# ( {2})?(?=[a-z])/gm, "$1");
  const reading = readConfig(text);
  if ("problems" in reading) throw new Error(JSON.stringify(reading.problems));
  const given = [...reading.sources].filter(([, source]) => source === "file");
  assertEquals(given.map(([path]) => path).sort(), [...KEY_PATHS].sort());
});

Deno.test("every row has one line of documentation, and its default obeys its own kind", () => {
  for (const path of KEY_PATHS) {
    const { doc, fallback, kind } = KEYS[path];
    assertEquals(/^(?:[A-Z…]).{5,99}[.…]$/.test(doc), true, `${path}: ${doc}`);
    if (fallback.is === "value") assertEquals("value" in kind.read(fallback.value), true, path);
  }
});

Deno.test("the version in the code is deno.json's", async () => {
  const { USER_AGENT, VERSION } = await import("../../src/version.ts");
  assertEquals(VERSION, JSON.parse(textOf("deno.json")).version);
  assertEquals(USER_AGENT, `monky-deployd/${VERSION}`);
});
