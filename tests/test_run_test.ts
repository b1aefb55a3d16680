/** What \`deno task test\` runs, in which order, and how it counts. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { addCounts, countResults, objection, showCounts } from "../scripts/test/results.ts";
import { labTests, selectTests } from "../scripts/test/select.ts";
import { inFolder } from "./support/folder.ts";

/** Runs Deno's own test command over these files, and counts its results. */
async function countsOf(files: Record<string, string>): Promise<string> {
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
    return showCounts(countResults(junit, Object.keys(files)));
  });
}

Deno.test("countResults() counts tests, not steps, and files that give no results", async () => {
  const steps = `async (t) => { await t.step("s", () => {}); }`;
  const cut = `async (t) => { await t.step({ name: "s", ignore: true, fn() {} }); }`;
  assertEquals(
    await countsOf({
      "a_test.ts": `Deno.test("a", ${steps}); Deno.test("a & > b", () => {});`,
      "b_test.ts": `Deno.test("a", () => { throw 1; }); Deno.test.ignore("b", () => {});`,
      "c_test.ts": `Deno.test("cut", ${cut});`,
      "d_test.ts": `throw new Error("not loaded");`,
    }),
    "2 passed, 2 failed, 2 skipped",
  );
  assertEquals(countResults("", ["a_test.ts"]), { passed: 0, failed: 1, skipped: 0 });
});

Deno.test("objection() refuses failures, nothing at all and, in CI, skips", () => {
  const counts = { passed: 1, failed: 0, skipped: 0 };
  assertEquals(objection(counts, true), undefined);
  assertEquals(objection({ ...counts, skipped: 1 }, false), undefined);
  assertMatch(objection({ ...counts, skipped: 1 }, true) ?? "", /skipped/);
  assertMatch(objection({ ...counts, failed: 1 }, false) ?? "", /failed/);
  assertEquals(objection(addCounts([]), false), "no test ran");
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
