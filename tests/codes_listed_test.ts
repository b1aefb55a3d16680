/**
 * The lists of codes agree: the catalogue, docs/OPERATIONS.md, the exit codes of SPEC §8, and the
 * tests that bring each code about from the command line.
 */

import { assert, assertEquals } from "@std/assert";
import { replaceCodeTables } from "../scripts/docs/code_tables.ts";
import { CAUSE_GROUPS, CAUSED_CODES } from "../scripts/docs/causes.ts";
import { listFiles } from "../scripts/check/paths.ts";
import { CATALOGUE, type Code, EXIT_BY_KIND } from "../src/errors.ts";
import { CODES_BY_FILE } from "./support/codes_elsewhere.ts";
import { CODES_OF_APPLY, LAST_CODES_OF_APPLY } from "./support/codes_of_apply.ts";
import { CODES_OF_DOCKER, SLOW_CODE_OF_DOCKER } from "./support/codes_of_docker.ts";
import { CODES_OF_THE_WAY } from "./support/codes_of_the_way.ts";
import { isNextAction } from "./support/hints.ts";

const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname);
const CODES = Object.keys(CATALOGUE).sort() as Code[];

function textOf(path: string): string {
  return Deno.readTextFileSync(`${ROOT}${path}`);
}

/** Looks for the code at the beginning of a text in the source: a test's name is not enough. */
function holds(text: string, code: Code): boolean {
  return new RegExp(`["'\`]${code}\\b`).test(text);
}

Deno.test("the tables of codes in docs/OPERATIONS.md are what the catalogue and the causes make", () => {
  const page = textOf("docs/OPERATIONS.md");
  assertEquals(replaceCodeTables(page), page, "run: deno run -A scripts/agent/generate.ts");
});

Deno.test("every code has one row in docs/OPERATIONS.md, with its exit code and its hint", () => {
  const rows = [...textOf("docs/OPERATIONS.md").matchAll(/^\| `([A-Z_]+)`[^|]*\| (\d+) +\|.*$/gm)];
  assertEquals(rows.map(([, code]) => code).sort(), CODES);
  for (const [row, code, exit] of rows) {
    const { kind, hint } = CATALOGUE[code as Code];
    assertEquals(Number(exit), EXIT_BY_KIND[kind], code);
    assert(row.includes(hint.replaceAll("*.", "\\*.")), code);
  }
  const causes = CAUSE_GROUPS.flatMap((group) => Object.keys(group.causes));
  assertEquals([causes.toSorted(), CAUSED_CODES.toSorted()], [CODES, CODES]);
});

Deno.test("kinds have the exit codes of the contract", () => {
  assertEquals(EXIT_BY_KIND, {
    failed: 1,
    refused: 1,
    auth: 1,
    usage: 64,
    bug: 70,
    temporary: 75,
    config: 78,
  });
});

Deno.test("every hint is one short sentence that names a command or a file", () => {
  for (const code of CODES) {
    const { hint } = CATALOGUE[code];
    assert(isNextAction(hint), `${code}: ${hint}`);
    assert(hint.endsWith(".") && hint.length <= 100, `${code}: ${hint.length}: ${hint}`);
  }
});

Deno.test("no code is dead: each is named where something can be wrong", async () => {
  const files = (await listFiles(
    ROOT,
    (path) => /^src\/.*\.ts$|^packaging\/ziti-bridge\/.*\.cjs$/.test(path),
  )).filter((path) => path !== "src/catalogue.ts");
  const sources = files.map(textOf).join("\n");
  assertEquals(CODES.filter((code) => !sources.includes(`"${code}"`)), []);
});

Deno.test("every code is brought about from the command line by one test that is known", () => {
  const own = [
    ...CODES_OF_THE_WAY,
    ...CODES_OF_APPLY,
    ...CODES_OF_DOCKER,
    ...LAST_CODES_OF_APPLY,
    SLOW_CODE_OF_DOCKER,
  ].map(({ code }) => code);
  const elsewhere = Object.values(CODES_BY_FILE).flat();
  assertEquals([...own, ...elsewhere].sort(), CODES);
});

/** A test's text with that of the tables it takes from tests/support. */
function withTables(path: string): string {
  const text = textOf(path);
  const tables = [...text.matchAll(/from "\.\.\/(support\/\w+\.ts)"/g)]
    .map(([, table]) => textOf(`tests/${table}`));
  return [text, ...tables].join("\n");
}

for (const [file, codes] of Object.entries(CODES_BY_FILE)) {
  Deno.test(`tests/real/${file} runs the agent and asks for ${codes.length} of the codes`, () => {
    const text = withTables(`tests/real/${file}`);
    assert(/\bbox\.(?:tick|run|start)\(/.test(text), "it runs no agent");
    assertEquals(codes.filter((code) => !holds(text, code)), []);
  });
}
