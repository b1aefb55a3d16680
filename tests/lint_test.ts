import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type DocReport, findUndocumented } from "../scripts/check/docstrings.ts";
import { checkLengths } from "../scripts/check/lengths.ts";
import { summarise } from "../scripts/check/parts.ts";
import { LIMITS } from "../scripts/lint/effects.ts";
import plugin from "../scripts/lint/plugin.ts";
import { inFolder } from "./support/folder.ts";

const SRC = "src/core/sample.ts";

/** Gives the messages of one rule about a text, as if it stood in that file. */
function messages(rule: string, source: string, file = SRC): string[] {
  return Deno.lint.runPlugin(plugin, file, source)
    .filter(({ id }) => id === `monky/${rule}`)
    .map(({ message }) => message);
}

/** Holds that every sample is refused, and says what the message is about. */
function refuses(rule: string, samples: Record<string, string>, file = SRC): void {
  for (const [source, about] of Object.entries(samples)) {
    const found = messages(rule, source, file);
    assertEquals(found.length, 1, `${source}: ${JSON.stringify(found)}`);
    assertStringIncludes(found[0] ?? "", about);
  }
}

/** Holds that no sample is refused. */
function allows(rule: string, samples: string[], file = SRC): void {
  for (const source of samples) assertEquals(messages(rule, source, file), [], source);
}

Deno.test("monky/io-only refuses what has effects", () => {
  refuses("io-only", {
    "Deno.readTextFile('x')": "Deno.readTextFile is for src/io only: take a port",
    "const run = Deno": "Deno is for src/io only",
    "let x: Deno.FileInfo": "Deno.FileInfo",
    "await fetch(url)": "the HTTP port",
    "const get = { fetch }": "the HTTP port",
    "function f(fetch: number) { return 1 + 1 }": "fetch",
    "type F = typeof fetch": "fetch",
    "new WebSocket(url)": "WebSocket",
    "new Date()": "The current date is for src/io only: take the time from the clock port",
    "new Date(...args)": "The current date",
    "Date()": "The current date",
    "Date.now()": "Date.now",
    "const D = Date": "The current date",
    "Temporal.Now.instant()": "Temporal.Now",
    "setTimeout(f, 1)": "setTimeout",
    "setInterval(f, 1)": "setInterval",
    "AbortSignal.timeout(1)": "AbortSignal.timeout",
    "performance.now()": "performance.now",
    "Math.random()": "randomness",
    "Math['random']()": "randomness",
    "const { random } = Math": "Math",
    "crypto.randomUUID()": "crypto.randomUUID",
    "crypto.getRandomValues(b)": "randomness",
    "const { randomUUID } = crypto": "crypto",
    "console.log(1)": "the log port",
    "eval('1')": "text is never run as code",
    "new Function('return 1')": "text is never run as code",
    "Function('return 1')()": "text is never run as code",
    "process.env": "process",
  });
});

Deno.test("monky/io-only refuses every name of its table", () => {
  for (const [name, { only, except, instead }] of LIMITS) {
    if (only === undefined && except === undefined) refuses("io-only", { [`${name}(1)`]: instead });
  }
});

Deno.test("monky/io-only sees through the global object", () => {
  refuses("io-only", {
    "globalThis.fetch(url)": "fetch",
    "globalThis.Deno.exit()": "Deno.exit",
    "globalThis['fetch'](url)": "name the global itself",
    "const g = globalThis": "name the global itself",
    "self.setTimeout(f)": "setTimeout",
    "globalThis.Math.random()": "Math.random",
    "type T = typeof globalThis.fetch": "fetch",
  });
});

Deno.test("monky/io-only refuses node: modules in every form", () => {
  refuses("io-only", {
    "import { join } from 'node:path'": "node:path is for src/io only",
    "import type { Stats } from 'node:fs'": "node:fs",
    "export * from 'node:fs'": "node:fs",
    "export { join } from 'node:path'": "node:path",
    "await import('node:fs')": "node:fs",
    "let x: import('node:fs').Stats": "node:fs",
    "await import(name)": "write the module's name as text",
  });
});

Deno.test("monky/io-only allows what is pure, and labels", () => {
  allows("io-only", [
    "new Date(text).getTime() + Date.parse(text) + Date.UTC(2024, 1)",
    "let d: Date; d instanceof Date",
    "queueMicrotask(f)",
    "Math.max(1, 2)",
    "await crypto.subtle.digest('SHA-256', bytes)",
    "AbortSignal.any([signal]); let s: AbortSignal",
    "http.fetch(url); const { fetch: get } = http; port.console.log(1)",
    "interface Http { fetch(url: string): void; Date: number }",
    "class A { fetch = 1; now() { return this.fetch } }",
    "const a = { fetch: 1, Deno: 2 }; enum E { fetch }",
    "import { parse } from '@std/yaml'; await import('./x.ts')",
    "let f: () => void; f instanceof Function",
    "self.x; const self = 1",
    "// Deno.exit(fetch)\nconst text = 'Deno.exit()'",
  ]);
});

Deno.test("monky/io-only leaves src/io, scripts, tests and packaging alone", () => {
  const sample = "import 'node:fs'; Deno.exit(await fetch(String(new Date())))";
  for (const file of ["src/io/a.ts", "scripts/a.ts", "tests/a_test.ts", "packaging/std/a.ts"]) {
    allows("io-only", [sample], file);
  }
  for (const file of ["src/app.ts", "src/model/io/a.ts", "main.ts", "src/io.ts"]) {
    assertEquals(messages("io-only", sample, file).length, 4, file);
  }
});

Deno.test("monky/io-only lets main.ts use Deno.args and Deno.exitCode only", () => {
  const allowed = "Deno.exitCode = await main(Deno.args)";
  allows("io-only", [allowed], "main.ts");
  assertEquals(messages("io-only", allowed, "src/app.ts").length, 2);
  refuses("io-only", {
    "Deno.exit(1)": "use only Deno.args and Deno.exitCode",
    "run(Deno)": "use only Deno.args",
    "console.log(1)": "console",
  }, "main.ts");
});

Deno.test("monky/no-default-export wants names", () => {
  refuses("no-default-export", {
    "export default 1": "Export it by its name",
    "export default function main() {}": "Export it by its name",
    "const a = 1; export { a as default }": "Export it by its name",
    "export { default } from './x.ts'": "Export it by its name",
  });
  allows("no-default-export", ["export const a = 1", "export { default as b } from './x.ts'"]);
});

Deno.test("monky/file-length allows 300 lines, in every folder", () => {
  const lines = (count: number): string => "a();\n".repeat(count);
  for (const file of [SRC, "scripts/a.ts", "tests/a_test.ts"]) {
    allows("file-length", [lines(300), lines(299) + "a();"], file);
    refuses("file-length", { [lines(301)]: "301 lines, 300 are allowed" }, file);
  }
});

Deno.test("monky/snake-case-file wants snake_case and says the name", () => {
  const judge = (file: string): string[] => messages("snake-case-file", "a();", file);
  for (const name of ["a.ts", "a_b2.ts", "tick_test.ts", "bridge.cjs", "a.d.ts"]) {
    assertEquals(judge(`src/core/${name}`), [], name);
  }
  for (const name of ["planDeploy.ts", "plan-deploy.ts", "PlanDeploy.ts", "_plan_deploy.ts"]) {
    assertMatch(judge(`src/core/${name}`)[0] ?? "", /"plan_deploy\.ts"/, name);
  }
});

Deno.test("monky/no-todo wants it done", () => {
  // Put together here, so that the rule lets this file pass.
  const marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"];
  for (const mark of marks) {
    refuses("no-todo", {
      [`// ${mark}: later\na();`]: `no ${mark} here`,
      [`/* see ${mark}(me) */ a();`]: `no ${mark} here`,
    });
  }
  allows("no-todo", ["// what is to do: nothing\nconst TODOS = '/tmp/XXXXXX';"]);
});

Deno.test("the project's own files pass the plugin they are judged by", async () => {
  const folder = new URL("../scripts/lint/rules/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    const source = await Deno.readTextFile(new URL(name, folder));
    assertEquals(Deno.lint.runPlugin(plugin, `scripts/lint/rules/${name}`, source), [], name);
  }
});

Deno.test("findUndocumented() wants a docstring on every export and public method", async () => {
  const source = [
    "/** Said. */ export function said(): void {}",
    "export function silent(): void {}",
    "/** Said for both. */ export function over(a: string): void;",
    "export function over(a: number): void;",
    "export function over(_: unknown): void {}",
    "/** Said. */ export class Box { bare(): void {} private own(): void {} }",
    'export { said as again }; export * from "./y.ts";',
    "function inner(): void {} inner();",
  ].join("\n");
  const files = { "x.ts": source, "y.ts": "export function elsewhere(): void {}" };
  const found = await inFolder(files, async (root) => {
    const args = ["doc", "--json", "--no-lock", `${root}/x.ts`];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
    const report: DocReport = JSON.parse(new TextDecoder().decode(stdout));
    return findUndocumented(report, `file://${root}/`);
  });
  assertEquals(found.map((line) => line.split(" without")[0]), [
    "x.ts:2 exports silent",
    "x.ts:6 exports Box.bare",
  ]);
});

Deno.test("checkLengths() sees shell and Python as well", async () => {
  const long = "true\n".repeat(301);
  const files = { "a.sh": long, ".ci/run": long, "b.ts": "a();\n", "long.md": long };
  assertEquals(await inFolder(files, checkLengths), [
    ".ci/run has 301 lines, 300 are allowed",
    "a.sh has 301 lines, 300 are allowed",
  ]);
});

Deno.test("summarise() names the parts that failed", () => {
  const part = { problems: "", seconds: 0.25 };
  const text = summarise([{ name: "lint", ...part }, { name: "types", ...part, problems: "x" }]);
  assertMatch(text, /^ok {6}lint {3}0\.3 s\nFAILED {2}types {2}0\.3 s\n/);
  assertStringIncludes(text, "check: 1 of 2 parts failed: types");
});
