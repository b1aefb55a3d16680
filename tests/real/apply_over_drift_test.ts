/** A new release over a project that has drifted: what `up` alone would stumble over or leave alone. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { isQuiet } from "../../scripts/matrix/converge.ts";
import { engine, runInside } from "../../scripts/matrix/hands.ts";
import { lookAtServices } from "../../scripts/matrix/look.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { onBox } from "../support/boxes.ts";

function bundle(revision: string): BundleFiles {
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    init: true
    command: ["sleep", "3600"]
    stop_grace_period: 1s
    environment: ["REVISION=${revision}"]
  guarded:
    image: lab/bb:1
    init: true
    command: ["sleep", "3600"]
    stop_grace_period: 1s
    healthcheck: {test: ["CMD", "test", "!", "-e", "/broken"], interval: 1s, retries: 1}
`,
  };
}

async function applyOver(
  drift: (box: Box, id: string) => Promise<unknown>,
  look: (before: string, after: string) => void,
): Promise<void> {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, bundle("1"));
    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    const before = (await lookAtServices(box))["guarded"]?.id ?? "";
    await drift(box, before);
    await box.tenancy.publish(box.env, bundle("2"));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    const { web, guarded } = await lookAtServices(box);
    assertEquals([web?.revision, web?.state, guarded?.state], ["2", "running", "running"]);
    look(before, guarded?.id ?? "");
    assert(isQuiet(await box.tick()), "the box has not converged");
  }, { config: { settle_s: 0 } });
}

Deno.test("a release over a paused container: it goes on, the release is applied", async () => {
  await applyOver(
    (box, id) => engine(box, "POST", `/containers/${id}/pause`),
    // It may have missed its healthcheck meanwhile, and is replaced then.
    () => {},
  );
});

Deno.test("a release over an unhealthy container that it does not change: it is replaced", async () => {
  await applyOver(async (box, id) => {
    await runInside(box, id, ["touch", "/broken"]);
    await waitFor("unhealthy", 60_000, async () => {
      const found = (await box.containers()).find((each) => each.Id === id);
      return found?.Status.includes("(unhealthy)") === true ? true : null;
    });
  }, (before, after) => assertNotEquals(after, before));
});
