/** `laptop_mode`: being offline is normal, said once, and exit 0. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { onRunningBox } from "../support/boxes.ts";

Deno.test("a laptop without its mesh says so once and exits 0 until it is online again", async () => {
  await onRunningBox(async (box) => {
    await box.paths.tenancy.refuse();
    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    assertStringIncludes(first.stderr, "offline, which is normal here");
    const second = await box.tick();
    assertEquals([second.code, second.stderr, second.writes], [0, "", []]);
    await box.paths.tenancy.heal();
    const third = await box.tick();
    assertEquals(third.code, 0);
    assertStringIncludes(third.stderr, "online again");
    const fourth = await box.tick();
    assertEquals([fourth.requests, fourth.writes], [{ tenancy: 1, docker: 1, bao: 0 }, []]);
  }, { config: { laptop_mode: true } });
});

Deno.test("laptop mode forgives being offline, and nothing else", async () => {
  await onRunningBox(async (box) => {
    box.tenancy.faults.arm({ kind: "unavailable", call: "checkin", times: 1 });
    assertEquals((await box.tick()).code, 75);
    box.tenancy.faults.arm({ kind: "env_mismatch", call: "checkin", times: 1 });
    assertEquals((await box.tick()).code, 1);
  }, { config: { laptop_mode: true } });
});
