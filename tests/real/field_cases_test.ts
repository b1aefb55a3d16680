/** Cases from the field that concern whole ticks and have no place in the other files. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { converge, isQuiet } from "../../scripts/matrix/converge.ts";
import { compose } from "../../scripts/matrix/hands.ts";
import { lookAtServices } from "../../scripts/matrix/look.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { onBox, onRunningBox, runningBundle } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";

/** A service that ignores TERM, so that it stops when its grace is over. */
function stubborn(revision: string, graceS: number): BundleFiles {
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    command: ["sh", "-c", "trap '' TERM; sleep 3600 & wait; sleep 3600"]
    stop_grace_period: ${graceS}s
    environment: ["REVISION=${revision}"]
`,
  };
}

async function applied(box: Box, files: BundleFiles): Promise<void> {
  await box.tenancy.publish(box.env, files);
  const run = await box.tick();
  assertEquals(run.code, 0, run.stderr);
}

Deno.test("case 21: one apply runs a one-shot once, and ticks with nothing to do never", async () => {
  await onBox(async (box) => {
    await box.reveal();
    const file = new URL(
      "../cases/21-one-shot-runs-on-every-up/docker-compose.yml",
      import.meta.url,
    );
    const text = (await Deno.readTextFile(file)).replaceAll("local/busybox:1", "lab/bb:1");
    await applied(box, { "docker-compose.yml": text, "out/.keep": "" });
    for (let idle = 0; idle < 3; idle++) {
      const run = await box.tick();
      assert(isQuiet(run), run.stderr);
      assertEquals([run.children, run.writes], [[], []]);
    }
    assertEquals(await Deno.readTextFile(`${box.deployDir}/project/out/log`), "run\n");
  }, { config: { settle_s: 0 } });
});

Deno.test("case 33: a compose that somebody else runs at the same time does no lasting harm", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await applied(box, stubborn("1", 3));
    await box.tenancy.publish(box.env, stubborn("2", 3));
    const foreign: Promise<void>[] = [];
    const run = await box.run(["tick", "--log-level", "debug"], {
      onLine: (line) => {
        if (foreign.length > 0 || !line.includes("web-1  Recreate")) return;
        foreign.push(compose(box, ["up", "-d", "--force-recreate"]).catch(() => {}));
      },
    });
    assertEquals(foreign.length, 1, run.stderr);
    await foreign[0];
    if (run.code !== 0) assertEquals((await box.tick(["--now"])).code, 0);
    assertEquals((await converge(box)).problem, null);
    const { web } = await lookAtServices(box);
    assertEquals([web?.state, web?.revision], ["running", "2"]);
  }, { config: { settle_s: 0 } });
});

Deno.test("case 38: another project name would start empty volumes beside the old ones: PROJECT_MISMATCH", async () => {
  await onRunningBox(async (box) => {
    const before = await box.containers();
    await box.configure({ compose_project: `${box.project}-renamed` });
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "PROJECT_MISMATCH");
    assertEquals([run.children, run.writes, run.requests.tenancy], [[], [], 0]);
    assertEquals((await box.containers()).map((each) => each.Id), before.map((each) => each.Id));
  });
});

Deno.test("case 39: a service gets the whole of its grace to stop, on update and on removal", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await applied(box, stubborn("1", 5));
    await box.tenancy.setAbsent(box.env);
    const run = await box.tick();
    assertEquals([run.code, await box.containers()], [0, []], run.stderr);
    assert(run.ms >= 5_000, `it was cut after ${run.ms} ms`);
  }, { config: { settle_s: 0 } });
});

Deno.test("case 42: without the plugin no lease, no secret, nothing rendered; with the Engine down neither", async () => {
  await onRunningBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, runningBundle("2"));
    await box.configure({ docker: { compose: "/nonexistent/docker-compose" } });
    const missing = await box.tick();
    assertEquals(missing.code, 1, missing.stderr);
    assertStringIncludes(missing.stderr, "COMPOSE_MISSING");
    await box.configure({});
    await box.paths.docker.refuse();
    const down = await box.tick();
    assertEquals(down.code, 75, down.stderr);
    assertStringIncludes(down.stderr, "DOCKER_UNAVAILABLE");
    for (const run of [missing, down]) {
      assertEquals(run.children, []);
      assert(!run.writes.some((path) => path.includes("/deploy")), run.writes.join(" "));
    }
    assertEquals(box.tenancy.record.leases, []);
    assertEquals(box.tenancy.record.checkins.length >= 2, true, "the box did not check in");
    await box.paths.docker.heal();
    assertEquals((await box.tick()).code, 0);
  });
});

Deno.test("case 65: state from a clock that was years ahead or behind holds nobody up", async (t) => {
  await onRunningBox(async (box) => {
    await box.tenancy.publish(box.env, webBundle({ template: "A=${MISSING}\n" }));
    assertEquals((await box.tick()).code, 1);
    const path = `${box.stateDir}/state.json`;
    const failed = JSON.parse(await Deno.readTextFile(path));
    const rows = [
      ["a failure in 2099", { at: Date.UTC(2099, 0), nextAttemptAt: Date.UTC(2099, 0) + 60_000 }],
      ["a wait until 2099", { at: Date.now(), nextAttemptAt: Date.UTC(2099, 0) }],
      ["a failure in 1970", { at: 0, nextAttemptAt: 60_000 }],
    ] as const;
    for (const [name, times] of rows) {
      await t.step(name, async () => {
        const state = { ...failed, failed: { ...failed.failed, ...times } };
        await Deno.writeTextFile(path, JSON.stringify(state));
        const run = await box.tick();
        assertEquals(run.code, 1, run.stderr);
        assertStringIncludes(run.stderr, "ENV_INCOMPLETE");
        assert(isQuiet(await box.tick()), "the new failure is not waited for");
      });
    }
  });
});
