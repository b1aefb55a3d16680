/** One tick at a time, and none that dies leaves something in the way of the next. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { onBox, onRunningBox, runningBundle } from "../support/boxes.ts";
import type { webBundle } from "../support/bundles.ts";

/** A release that pulls nothing and whose stop takes long enough to be met in the middle. */
function slowBundle(revision: string): ReturnType<typeof webBundle> {
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    command: ["sh", "-c", "trap '' TERM; sleep 3600 & wait; sleep 3600"]
    stop_grace_period: 4s
    environment:
      - REVISION=${revision}
`,
  };
}

/** Whether a process has the project's name on its command line: compose, and nothing else. */
function composeRuns(project: string): boolean {
  return [...Deno.readDirSync("/proc")].some(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0").includes(project);
    } catch {
      return false;
    }
  });
}

async function untilStep(box: Box, step: string): Promise<void> {
  await waitFor(`step ${step}`, 20_000, async () => {
    const applying = (await box.state())?.["applying"] as { readonly step: string } | null;
    return applying?.step === step ? true : null;
  }, 20);
}

Deno.test("a second tick started while one runs exits 75 at once and touches nothing", async () => {
  await onRunningBox(async (box) => {
    await box.tenancy.publish(box.env, slowBundle("2"));
    const first = await box.start(["tick"]);
    await untilStep(box, "up");
    const second = await box.tick();
    assertEquals(second.code, 75, second.stderr);
    assertStringIncludes(second.stderr, "LOCK_HELD");
    assert(second.ms < 2_000, `${second.ms} ms`);
    assertEquals((await first.ended).code, 0);
  });
});

Deno.test("case 60: whatever lies in the lock file, only a living holder holds it", async () => {
  await onRunningBox(async (box) => {
    for (const content of ["1\n", "", "garbage \0"]) {
      await Deno.writeTextFile(`${box.stateDir}/lock`, content);
      assertEquals((await box.tick()).code, 0);
      assert((await Deno.stat(`${box.stateDir}/lock`)).isFile, "the lock file was removed");
    }
  });
});

Deno.test("case 32: killed with -9 in the middle of up, the next tick converges without a lease", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, slowBundle("1"));
    assertEquals((await box.tick()).code, 0);
    await box.tenancy.publish(box.env, slowBundle("2"));
    const dying = await box.start(["tick"]);
    await untilStep(box, "up");
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert(composeRuns(box.project), "the kill came too late to be in the middle of up");
    dying.kill("SIGKILL");
    await dying.ended;
    await waitFor(
      "the end of compose",
      3_000,
      () => Promise.resolve(composeRuns(box.project) ? null : true),
    );
    const leases = box.tenancy.record.leases.length;
    const next = await box.tick();
    assertEquals(next.code, 0, next.stderr);
    assertStringIncludes(next.stderr, "stopped in up");
    assertEquals(box.tenancy.record.leases.length, leases);
    const containers = await box.containers();
    assertEquals(containers.map((each) => each.State), ["running"]);
    assertEquals((await box.tick()).children, []);
  });
});

Deno.test("SIGTERM in the middle of up: exit 75, the state says so, the next tick converges", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, slowBundle("1"));
    assertEquals((await box.tick()).code, 0);
    const { sha } = await box.tenancy.publish(box.env, slowBundle("2"));
    const running = await box.start(["tick"]);
    await untilStep(box, "up");
    await new Promise((resolve) => setTimeout(resolve, 300));
    running.kill("SIGTERM");
    const stopped = await running.ended;
    assertEquals(stopped.code, 75, stopped.stderr);
    assertStringIncludes(stopped.stderr, "INTERRUPTED");
    const applying = (await box.state())?.["applying"] as Record<string, unknown>;
    assertEquals([applying["sha"], applying["step"]], [sha, "up"]);
    assertEquals((await box.state())?.["failed"], null);
    const next = await box.tick();
    assertEquals(next.code, 0, next.stderr);
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["applied", "applied"]);
  });
});

Deno.test("killed with -9 before anything was touched, the next tick applies as if nothing had been", async () => {
  await onRunningBox(async (box) => {
    await box.tenancy.publish(box.env, runningBundle("2"));
    box.tenancy.faults.arm({ kind: "slow", call: "bundle", ms: 3_000, times: 1 });
    const dying = await box.start(["tick"]);
    await box.tenancy.record.waitFor(
      (record) => record.requests.find((each) => each.call === "bundle"),
      10_000,
    );
    dying.kill("SIGKILL");
    await dying.ended;
    const next = await box.tick();
    assertEquals(next.code, 0, next.stderr);
    assertEquals(box.tenancy.record.leases.length, 0, "a second lease was taken");
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["applied"]);
  });
});
