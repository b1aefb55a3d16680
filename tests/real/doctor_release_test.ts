/** `doctor` on a box whose ways and files are good while something on it is not: what it says first. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { engine } from "../../scripts/matrix/hands.ts";
import { onRunningBox } from "../support/boxes.ts";

interface Answer {
  readonly code: number;
  readonly healthy: boolean;
  readonly cause: string | null;
  /** Check → its state. */
  readonly states: Readonly<Record<string, string>>;
}

async function examine(box: Box): Promise<Answer> {
  const { code, stdout } = await box.run(["doctor", "--json"]);
  const { healthy, cause, checks } = JSON.parse(stdout) as {
    readonly healthy: boolean;
    readonly cause: { readonly check: string } | null;
    readonly checks: readonly { readonly check: string; readonly state: string }[];
  };
  const states = Object.fromEntries(checks.map(({ check, state }) => [check, state]));
  return { code, healthy, cause: cause?.check ?? null, states };
}

Deno.test("doctor: what runs, and a tenancy that is away, hide nothing else", async (t) => {
  await onRunningBox(async (box) => {
    await t.step(
      "a file that is gone from the project's folder is told, and nothing is mended",
      async () => {
        const lost = `${box.deployDir}/project/docker-compose.yml`;
        const text = await Deno.readTextFile(lost);
        await Deno.remove(lost);
        const { stdout } = await box.run(["doctor"]);
        assertMatch(
          stdout,
          /\nwarn {2}release {4}the project's folder lacks docker-compose\.yml\n/,
        );
        await Deno.writeTextFile(lost, text);
        assertEquals((await examine(box)).states["release"], "ok");
      },
    );
    await t.step("a stopped service stands in the first line, and the exit is 0", async () => {
      const [web] = await box.containers();
      await engine(box, "POST", `/containers/${web?.Id}/stop?t=1`);
      const { code, healthy, states } = await examine(box);
      assertEquals([code, healthy, states["release"]], [0, true, "warn"]);
      const { stdout } = await box.run(["doctor"]);
      assertMatch(
        stdout,
        /^a tick has all it needs, but not as released: web stopped; warnings: 1\n/,
      );
      assertMatch(stdout, /\nwarn {2}release {4}not as .*\n {17}do: monky-deployd status\n$/);
    });
    await t.step("with tenancy away OpenBao is looked at all the same", async () => {
      await box.paths.tenancy.refuse();
      const { cause, states } = await examine(box);
      assertEquals(cause, "mesh");
      const names = ["clock", "tls", "openbao", "role", "token", "policy", "tenancy"];
      const found = names.map((name) => states[name]);
      assertEquals(found, [...Array(6).fill("ok"), "not_checked"]);
    });
  });
});
