/** What `.ci/run` makes of the ends that its tasks can have; the tasks are stood in for. */

import { assertEquals } from "@std/assert";
import { writeExecutable } from "./support/executable.ts";

const RUN = decodeURIComponent(new URL("../.ci/run", import.meta.url).pathname);

/** Called as `npx -y deno@VERSION task NAME`: plays the file NAME, whose first line is the exit code. */
const NPX = `#!/bin/sh
cd "\${0%/*}/tasks" || exit 1
tail -n +2 "$4"
exit "$(head -n 1 "$4")"
`;

interface End {
  readonly code: number;
  readonly says: string;
}

async function runWith(
  tasks: Readonly<Record<string, End>>,
): Promise<readonly [number, readonly string[]]> {
  const folder = await Deno.makeTempDir();
  try {
    await writeExecutable(`${folder}/npx`, NPX);
    await Deno.mkdir(`${folder}/tasks`);
    for (const [name, { code, says }] of Object.entries(tasks)) {
      await Deno.writeTextFile(`${folder}/tasks/${name}`, `${code}\n${says}\n`);
    }
    const { code, stdout } = await new Deno.Command(RUN, {
      env: { PATH: `${folder}:/usr/bin:/bin`, TMPDIR: folder },
      stderr: "null",
    }).output();
    return [code, new TextDecoder().decode(stdout).trimEnd().split("\n")];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("CI adds the counts of both runs of tests, and fails for whatever is no success", async () => {
  const check = { code: 0, says: "all is well" };
  const test = { code: 0, says: "a test ... ok\n10 passed, 0 failed, 0 skipped" };
  const engines = { code: 0, says: "3 passed, 0 failed, 0 skipped" };
  const table: readonly (readonly [Readonly<Record<string, End>>, number, string])[] = [
    [{}, 0, "13 passed, 0 failed, 0 skipped"],
    [{ check: { code: 1, says: "lint" } }, 1, "13 passed, 0 failed, 0 skipped"],
    [
      { test: { code: 1, says: "8 passed, 2 failed, 0 skipped" } },
      1,
      "11 passed, 2 failed, 0 skipped",
    ],
    [
      { engines: { code: 1, says: "2 passed, 1 failed, 0 skipped" } },
      1,
      "12 passed, 1 failed, 0 skipped",
    ],
    // Counts that are no success count, whatever the exit code says.
    [
      { engines: { code: 0, says: "2 passed, 0 failed, 1 skipped" } },
      1,
      "12 passed, 0 failed, 1 skipped",
    ],
    [
      { engines: { code: 0, says: "0 passed, 0 failed, 0 skipped" } },
      1,
      "10 passed, 0 failed, 0 skipped",
    ],
    [{ engines: { code: 1, says: engines.says } }, 1, "13 passed, 0 failed, 0 skipped"],
    [{ engines: { code: 137, says: "Killed" } }, 1, "10 passed, 1 failed, 0 skipped"],
    [{ test: { code: 0, says: "nothing" } }, 1, "3 passed, 1 failed, 0 skipped"],
  ];
  for (const [other, code, counts] of table) {
    const [ended, lines] = await runWith({ check, test, engines, ...other });
    assertEquals([ended, lines.at(-1)], [code, counts], JSON.stringify(other));
  }
});

Deno.test("CI ends with what failed in each run, for whoever has its last lines alone", async () => {
  const failed = (name: string): string => `failed tests:\n  ${name}_test.ts: a\n      Error: b\n`;
  const [, lines] = await runWith({
    check: { code: 0, says: "all is well" },
    test: { code: 1, says: `${failed("x")}test: tests failed\n8 passed, 1 failed, 0 skipped` },
    engines: { code: 1, says: `${failed("y")}3 passed, 1 failed, 0 skipped` },
  });
  const ended = `${failed("x")}test: tests failed\n${failed("y")}11 passed, 2 failed, 0 skipped`;
  assertEquals(lines.slice(-8).join("\n"), ended);
});
