/** What an apply asks of compose beyond its work: nothing that the box knows already. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { AgentRun } from "../../scripts/box/run.ts";
import { onRunningBox, runningBundle } from "../support/boxes.ts";

/** The words that compose was called with, as far as they name what it did. */
function commandsOf(run: AgentRun): readonly string[] {
  const names = /(?:^| )(version|config|pull|up|down)(?= |$)/;
  return run.children.map((args) => names.exec(args)?.[1] ?? args);
}

async function apply(box: Box, revision: string): Promise<AgentRun> {
  await box.tenancy.publish(box.env, runningBundle(revision));
  return await box.tick();
}

Deno.test("compose is asked for its version once, and again when it was replaced", async () => {
  await onRunningBox(async (box) => {
    const second = await apply(box, "2");
    assertEquals([second.code, commandsOf(second)], [0, ["config", "pull", "up"]], second.stderr);

    const plugin = `${box.dir}/docker-compose`;
    const good = await Deno.readTextFile(plugin);
    await Deno.writeTextFile(plugin, "#!/bin/sh\necho 2.10.2\n");
    const old = await apply(box, "3");
    assertEquals(old.code, 1, old.stderr);
    assertStringIncludes(old.stderr, "COMPOSE_TOO_OLD");

    await Deno.writeTextFile(plugin, good);
    const asked = ["version", "config", "pull", "up"];
    const third = await apply(box, "4");
    assertEquals([third.code, commandsOf(third)], [0, asked], third.stderr);
    const fourth = await apply(box, "5");
    assertEquals([fourth.code, commandsOf(fourth)], [0, asked.slice(1)], fourth.stderr);
  }, { config: { settle_s: 0 } });
});
