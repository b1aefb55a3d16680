import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkImports } from "../scripts/check/imports.ts";
import { layerOf, RULES } from "../scripts/check/layers.ts";
import { PROJECT } from "../scripts/check/paths.ts";

/** Runs the checker over a project made of these files. */
async function check(files: Record<string, string>): Promise<string[]> {
  const root = await Deno.makeTempDir({ prefix: "monky-architecture-" });
  try {
    const imports = { "zod/mini": "npm:zod@4.6.7/mini", "fast-check": "npm:fast-check@4.11.0" };
    for (
      const [path, text] of Object.entries({ "deno.json": JSON.stringify({ imports }), ...files })
    ) {
      await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${root}/${path}`, text);
    }
    return await checkImports(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Gives a project in which one file imports another. */
function pair(from: string, to: string, kind = "import"): Record<string, string> {
  const way = "../".repeat(from.split("/").length - 1) || "./";
  return { [from]: `${kind} { a } from "${way}${to}";\n`, [to]: "export const a = 1;\n" };
}

Deno.test("the project's imports follow the layers, without circles", async () => {
  assertEquals(await checkImports(PROJECT), []);
});

Deno.test("checkImports() reports a forbidden direction with the reason", async () => {
  const table: [string, string, string][] = [
    ["main.ts", "src/cli/x.ts", RULES.main.why],
    ["src/cli/x.ts", "src/clients/y.ts", RULES.cli.why],
    ["src/cli/x.ts", "src/io/y.ts", RULES.cli.why],
    ["src/engine/x.ts", "src/io/y.ts", RULES.engine.why],
    ["src/engine/x.ts", "src/cli/y.ts", RULES.engine.why],
    ["src/clients/x.ts", "src/core/y.ts", RULES.clients.why],
    ["src/core/x.ts", "src/ports.ts", RULES.core.why],
    ["src/core/x.ts", "src/engine/y.ts", RULES.core.why],
    ["src/core/x.ts", "src/clients/y.ts", RULES.core.why],
    ["src/core/x.ts", "src/io/y.ts", RULES.core.why],
    ["src/config/x.ts", "src/ports.ts", RULES.config.why],
    ["src/model/x.ts", "src/config/y.ts", RULES.model.why],
    ["src/errors.ts", "src/model/y.ts", RULES.base.why],
    ["src/ports.ts", "src/errors.ts", RULES.ports.why],
    ["src/io/x.ts", "src/core/y.ts", RULES.io.why],
    ["src/app.ts", "scripts/y.ts", RULES.app.why],
    ["src/core/x.ts", "tests/y.ts", RULES.core.why],
    ["scripts/x.ts", "tests/y.ts", RULES.scripts.why],
  ];
  for (const [from, to, why] of table) {
    assertEquals(await check(pair(from, to)), [`${from} imports ${to}: ${why}`]);
    // Types bind just as much: a type-only import of a forbidden layer is forbidden.
    assertEquals(await check(pair(from, to, "import type")), [`${from} imports ${to}: ${why}`]);
  }
});

Deno.test("checkImports() lets every allowed direction pass", async () => {
  const table: [string, string][] = [
    ["main.ts", "src/app.ts"],
    ["src/app.ts", "src/io/y.ts"],
    ["src/cli/x.ts", "src/engine/y.ts"],
    ["src/engine/x.ts", "src/core/y.ts"],
    ["src/engine/x.ts", "src/clients/y.ts"],
    ["src/core/x.ts", "src/config/y.ts"],
    ["src/clients/x.ts", "src/ports.ts"],
    ["src/io/x.ts", "src/ports.ts"],
    ["src/model/x.ts", "src/errors.ts"],
    ["src/core/x.ts", "src/core/y.ts"],
    ["scripts/x.ts", "src/core/y.ts"],
    ["tests/x_test.ts", "scripts/y.ts"],
  ];
  for (const [from, to] of table) assertEquals(await check(pair(from, to)), [], `${from} → ${to}`);
});

Deno.test("checkImports() lets src/ports.ts import types of the model, not values", async () => {
  assertEquals(await check(pair("src/ports.ts", "src/model/y.ts", "import type")), []);
  const [found] = await check(pair("src/ports.ts", "src/model/y.ts"));
  assertStringIncludes(found ?? "", "src/ports.ts imports src/model/y.ts: ");
  assertStringIncludes(found ?? "", 'import its types with "import type"');
});

Deno.test("checkImports() judges packages by layer", async () => {
  const judge = (file: string, name: string): Promise<string[]> =>
    check({ [file]: `import * as a from "${name}";\nexport const b = a;\n` });
  assertEquals(await judge("src/model/x.ts", "zod/mini"), []);
  assertEquals(await judge("src/io/x.ts", "node:fs"), []);
  assertEquals(await judge("tests/x_test.ts", "fast-check"), []);
  assertEquals(await judge("src/core/x.ts", "zod/mini"), [
    "src/core/x.ts imports zod/mini: no package is allowed here",
  ]);
  assertEquals(await judge("src/model/x.ts", "npm:zod@4.6.7"), [
    "src/model/x.ts imports zod: the packages allowed here are zod/mini, @std/yaml",
  ]);
  assertEquals(await judge("src/clients/x.ts", "node:fs"), [
    "src/clients/x.ts imports node:fs: the packages allowed here are zod/mini, @std/yaml, jose",
  ]);
  assertEquals((await judge("scripts/x.ts", "fast-check")).length, 1);
});

Deno.test("checkImports() reports circles, those of types apart", async () => {
  const files = (kind: string): Record<string, string> => ({
    "src/core/a.ts": `import { b } from "./b.ts";\nexport const a = b;\n`,
    "src/core/b.ts": `import { c } from "./c.ts";\nexport const b = c;\n`,
    "src/core/c.ts":
      `${kind} { a } from "./a.ts";\nexport const c = 1;\nexport type A = typeof a;\n`,
  });
  const way = "(src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts)";
  assertEquals(await check(files("import")), [
    `src/core/a.ts imports src/core/b.ts: a circle; move what both need to a file of its own ${way}`,
  ]);
  assertEquals(await check(files("import type")), [
    "src/core/a.ts imports src/core/b.ts: a circle of types; " +
    `move the types both need to a file of their own ${way}`,
  ]);
});

Deno.test("checkImports() sees dynamic imports and files that belong nowhere", async () => {
  assertEquals(
    await check({
      "src/core/x.ts": 'export const a = await import("../io/y.ts");\n',
      "src/io/y.ts": "export const a = 1;\n",
    }),
    [`src/core/x.ts imports src/io/y.ts: ${RULES.core.why}`],
  );
  assertEquals(await check({ "src/other.ts": "export const a = 1;\n" }), [
    "src/other.ts belongs to no layer: give it one in scripts/check/layers.ts",
  ]);
  assertEquals(layerOf("src/other/x.ts"), undefined);
});
