/** What \`deno task test\` runs, in which order, and how it counts. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  addResults,
  NOTHING,
  objection,
  readResults,
  type Results,
  showCounts,
} from "../scripts/test/results.ts";
import { showFailures } from "../scripts/test/failure.ts";
import { labTests, selectTests } from "../scripts/test/select.ts";
import { inFolder } from "./support/folder.ts";

/** Runs Deno's own test command over these files, and reads its results. */
async function resultsOf(files: Record<string, string>): Promise<Results> {
  return await inFolder(files, async (root) => {
    const args = [
      "test",
      "-A",
      "--no-check",
      "--no-config",
      "--junit-path=j.xml",
      ...Object.keys(files),
    ];
    await new Deno.Command(Deno.execPath(), { args, cwd: root }).output();
    const junit = await Deno.readTextFile(`${root}/j.xml`);
    return readResults(junit, Object.keys(files));
  });
}

Deno.test("readResults() counts tests, not steps, and files that give no results", async () => {
  const steps = `async (t) => { await t.step("s", () => {}); }`;
  const cut = `async (t) => { await t.step({ name: "s", ignore: true, fn() {} }); }`;
  assertEquals(
    showCounts(
      await resultsOf({
        "a_test.ts": `Deno.test("a", ${steps}); Deno.test("a & > b", () => {});`,
        "b_test.ts": `Deno.test("a", () => { throw 1; }); Deno.test.ignore("b", () => {});`,
        "c_test.ts": `Deno.test("cut", ${cut});`,
        "d_test.ts": `throw new Error("not loaded");`,
      }),
    ),
    "2 passed, 2 failed, 2 skipped",
  );
  assertEquals(showCounts(readResults("", ["a_test.ts"])), "0 passed, 1 failed, 0 skipped");
});

Deno.test("a run says again at its end which tests failed, steps by their own name, and why", async () => {
  const inner = `async (t) => { await t.step("i", () => { throw new Error("a < b\\nnot c"); }); }`;
  const { failures } = await resultsOf({
    "a_test.ts": `Deno.test("x & y", ${inner}); Deno.test("good", () => {});`,
    "b_test.ts": `throw new Error("not loaded");`,
  });
  const lines = showFailures(failures);
  assertEquals(lines.slice(0, 4), [
    "failed tests:",
    "  a_test.ts: x & y > i",
    "      Error: a < b",
    "      not c",
  ]);
  assertEquals(lines.slice(-2), ["  b_test.ts", "      gave no results: see its output"]);
  assertEquals(showFailures([]), []);
});

Deno.test("what a run says of its failures is bounded", () => {
  const message = `${"x".repeat(5000)}\n`.repeat(500);
  const lines = showFailures(Array(50).fill({ file: "a_test.ts", name: "a", message }));
  assertEquals(lines.length, 1 + 20 * 31 + 1);
  assertEquals(lines.at(-1), "  and 30 more");
  assert(lines.every((line) => line.length < 320));
});

Deno.test("objection() refuses failures, nothing at all and, in CI, skips", () => {
  const counts = { ...NOTHING, passed: 1 };
  assertEquals(objection(counts, true), undefined);
  assertEquals(objection({ ...counts, skipped: 1 }, false), undefined);
  assertMatch(objection({ ...counts, skipped: 1 }, true) ?? "", /skipped/);
  assertMatch(objection({ ...counts, failed: 1 }, false) ?? "", /failed/);
  assertEquals(objection(addResults([]), false), "no test ran");
});

Deno.test("labTests() begins with the long ones, and keeps apart those that measure", () => {
  const files = ["absent", "install", "memory", "run_loop"].map((name) =>
    `tests/real/${name}_test.ts`
  );
  const [absent = "", install = "", memory = "", loop = ""] = files;
  assertEquals(labTests([...files, "tests/a_test.ts"]), {
    together: [install, absent],
    alone: [memory, loop],
  });
});

Deno.test("selectTests() keeps apart what needs the lab", async () => {
  const files = { "tests/a_test.ts": "", "tests/real/b_test.ts": "", "tests/help.ts": "" };
  await inFolder(files, async (root) => {
    const [a, b] = [["tests/a_test.ts"], { together: ["tests/real/b_test.ts"], alone: [] }];
    const none = { together: [], alone: [] };
    assertEquals(await selectTests(root, [], false), { fast: a, real: b });
    assertEquals(await selectTests(root, [], true), { fast: a, real: none });
    assertEquals(await selectTests(root, ["./tests/real/"], false), { fast: [], real: b });
    await assertRejects(() => selectTests(root, ["tests/re"], false), Error, "no test in tests/re");
  });
});
