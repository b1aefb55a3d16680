/** One tick at a time, and none that dies leaves something in the way of the next. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { AgentRun } from "../../scripts/box/run.ts";
import { dockerCall } from "../../scripts/lab/docker_api.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { onBox, onRunningBox, runningBundle } from "../support/boxes.ts";
import type { webBundle } from "../support/bundles.ts";

/** A release that pulls nothing and will not stop: an `up` that replaces it lasts until `letGo`. */
function stubbornBundle(revision: string): ReturnType<typeof webBundle> {
  return {
    "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    command: ["sh", "-c", "trap '' TERM; sleep 3600 & wait; sleep 3600"]
    stop_grace_period: 90s
    environment:
      - REVISION=${revision}
`,
  };
}

/** Ends what will not stop, as the end of its grace period would. */
async function letGo(box: Box): Promise<void> {
  for (const { Id, State } of await box.containers()) {
    if (State !== "running") continue;
    await dockerCall(box.lab.docker.socket, "POST", `/containers/${Id}/kill`);
  }
}

/** Makes a box where a stubborn release runs and the next one is wanted; gives the next one's sha. */
async function onStubbornBox(test: (box: Box, sha: string) => Promise<void>): Promise<void> {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, stubbornBundle("1"));
    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    const { sha } = await box.tenancy.publish(box.env, stubbornBundle("2"));
    await test(box, sha);
  });
}

/** Runs the tick that goes on with the `up` of another one, and lets go once it is there. */
async function tickOn(box: Box): Promise<AgentRun> {
  const next = await box.start(["tick"]);
  await Promise.race([untilUp(box), next.ended]);
  await letGo(box);
  return await next.ended;
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

/** Waits until the `up` of the tick that was started last is in its middle: it waits for the stop. */
async function untilUp(box: Box): Promise<void> {
  const { counts } = box.paths.docker;
  const isAsked = (): boolean => counts.requests.some((line) => /^POST \S+\/stop\b/.test(line));
  await waitFor("compose that stops a container", 60_000, () => {
    return Promise.resolve(isAsked() && composeRuns(box.project) ? true : null);
  }, 20);
}

Deno.test("a second tick started while one runs exits 75 at once and touches nothing", async () => {
  await onStubbornBox(async (box) => {
    const first = await box.start(["tick"]);
    await untilUp(box);
    const second = await box.tick();
    assertEquals(second.code, 75, second.stderr);
    assertStringIncludes(second.stderr, "LOCK_HELD");
    assertEquals([second.children, second.writes, second.requests.tenancy], [[], [], 0]);
    // The first one cannot end before this: the second has not waited for it.
    assert(second.ms < 20_000, `${second.ms} ms`);
    await letGo(box);
    const end = await first.ended;
    assertEquals(end.code, 0, end.stderr);
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
  await onStubbornBox(async (box) => {
    const before = (await box.containers()).map(({ Id }) => Id);
    const dying = await box.start(["tick"]);
    await untilUp(box);
    dying.kill("SIGKILL");
    await dying.ended;
    await waitFor(
      "the end of compose",
      30_000,
      () => Promise.resolve(composeRuns(box.project) ? null : true),
    );
    const running = (await box.containers()).filter(({ State }) => State === "running");
    assertEquals(running.map(({ Id }) => Id), before, "compose came to its end");
    const leases = box.tenancy.record.leases.length;
    const next = await tickOn(box);
    assertEquals(next.code, 0, next.stderr);
    assertStringIncludes(next.stderr, "stopped in up");
    assertEquals(box.tenancy.record.leases.length, leases);
    const containers = await box.containers();
    assertEquals(containers.map((each) => each.State), ["running"]);
    assertEquals((await box.tick()).children, []);
  });
});

Deno.test("SIGTERM in the middle of up: exit 75, the state says so, the next tick converges", async () => {
  await onStubbornBox(async (box, sha) => {
    const running = await box.start(["tick"]);
    await untilUp(box);
    running.kill("SIGTERM");
    const stopped = await running.ended;
    assertEquals(stopped.code, 75, stopped.stderr);
    assertStringIncludes(stopped.stderr, "INTERRUPTED");
    const applying = (await box.state())?.["applying"] as Record<string, unknown>;
    assertEquals([applying["sha"], applying["step"]], [sha, "up"]);
    assertEquals((await box.state())?.["failed"], null);
    const next = await tickOn(box);
    assertEquals(next.code, 0, next.stderr);
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["applied", "applied"]);
  });
});

Deno.test("killed with -9 before anything was touched, the next tick applies as if nothing had been", async () => {
  await onRunningBox(async (box) => {
    await box.tenancy.publish(box.env, runningBundle("2"));
    box.tenancy.faults.arm({ kind: "never_answer", call: "bundle", times: 1 });
    const dying = await box.start(["tick"]);
    await box.tenancy.record.waitFor(
      (record) => record.requests.find((each) => each.call === "bundle"),
      60_000,
    );
    dying.kill("SIGKILL");
    await dying.ended;
    const next = await box.tick();
    assertEquals(next.code, 0, next.stderr);
    assertEquals(box.tenancy.record.leases.length, 0, "a second lease was taken");
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["applied"]);
  });
});
