/**
 * A full disk under the state folder or the deploy folder, at every write of an apply: DISK_FULL by
 * name, the release that runs goes on, nothing half-written, and all is well once there is room.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { AgentRun } from "../../scripts/box/run.ts";
import { converge } from "../../scripts/matrix/converge.ts";
import { deployFirst } from "../../scripts/matrix/killed.ts";
import { exposed, leftovers, lookAtServices, wrongReports } from "../../scripts/matrix/look.ts";
import { CANARY, publishRelease } from "../../scripts/matrix/project.ts";
import { canMount, mountSmallDisk, type SmallDisk } from "../../scripts/matrix/small_disk.ts";
import { onBox } from "../support/boxes.ts";

const ignore = !await canMount();
const DISK_KIB = 512;

async function onSmallDisk(
  folder: "stateDir" | "deployDir",
  test: (box: Box, disk: SmallDisk) => Promise<void>,
): Promise<void> {
  await onBox(async (box) => {
    await using disk = await mountSmallDisk(box[folder], DISK_KIB);
    await deployFirst(box);
    await test(box, disk);
  }, { leasesPerHour: 1_000, config: { settle_s: 0 } });
}

/** state.json, session.json and current are whole, whatever could not be written. */
async function readable(box: Box): Promise<void> {
  for (const name of ["state.json", "session.json"]) {
    JSON.parse(await Deno.readTextFile(`${box.stateDir}/${name}`));
  }
  assert(/^releases\/[0-9a-f]{64}\n$/.test(await Deno.readTextFile(`${box.deployDir}/current`)));
}

/** There is room again: the release that could not be applied is, and all its traces are tidy. */
async function recover(box: Box, disk: SmallDisk, sha: string, since: number): Promise<void> {
  await disk.makeRoom();
  const now = await box.tick(["--now"]);
  assertEquals(now.code, 0, now.stderr);
  assertEquals((await converge(box)).problem, null);
  const services = await lookAtServices(box);
  assertEquals([services["web"]?.state, services["worker"]?.state], ["running", "running"]);
  const results = ["applied", "failed applied"];
  assertEquals(wrongReports(box, { sha, since, results }), []);
  assertEquals([exposed(box, [CANARY]), leftovers(box)], [[], []]);
  assertEquals((await box.state())?.["failed"], null);
}

Deno.test({
  name:
    "a deploy folder that is full at each write in turn: the old release runs, then the new one",
  ignore,
  fn: async (t) => {
    await onSmallDisk("deployDir", async (box, disk) => {
      let pages = 0;
      for (let fits = false; !fits; pages++) {
        assert(pages < 40, "an apply writes more than it can");
        await t.step(`${pages} pages of 4 KiB left`, async () => {
          const { web } = await lookAtServices(box);
          const since = box.tenancy.record.reports.length;
          const sha = await publishRelease(box, { revision: `d${pages}` });
          await disk.fill(pages);
          const run = await box.tick();
          fits = run.code === 0;
          if (!fits) {
            assertEquals(run.code, 75, run.stderr);
            assertStringIncludes(run.stderr, "DISK_FULL");
            const ran = run.children.some((each) => / up /.test(each));
            if (!ran) assertEquals((await lookAtServices(box))["web"], web);
            const report = box.tenancy.record.reports.at(-1);
            assertEquals([report?.result, report?.code], ["failed", "DISK_FULL"]);
            const waiting = await box.tick();
            assertEquals([waiting.code, waiting.children, waiting.writes], [0, [], []]);
          }
          await readable(box);
          await recover(box, disk, sha, since);
        });
      }
      assert(pages > 5, `only ${pages - 1} writes failed`);
    });
  },
});

/**
 * Moments of an apply at which the state folder fills up. Filling after the line that tells of a step
 * may come too late for the next write, but not for all that follow. After `up` few follow, and within
 * milliseconds: there compose itself fills it, before it tells of its end.
 */
const MOMENTS = ["fetch", "stage", "secrets", "validate", "up"] as const;

/** Runs a tick during which, once the step is done, the state folder fills up and stays full. */
async function tickFull(
  box: Box,
  disk: SmallDisk,
  step: (typeof MOMENTS)[number],
): Promise<AgentRun> {
  if (step === "up") return await tickFullByCompose(box);
  const ends: (() => void)[] = [];
  try {
    return await box.run(["tick"], {
      onLine: (line) => {
        const isDone = line.includes(`step done step=${step} `);
        if (isDone && ends.length === 0) ends.push(disk.keepFull());
      },
    });
  } finally {
    for (const end of ends) end();
  }
}

/** Runs a tick with a compose whose `up` fills the state folder at its end. */
async function tickFullByCompose(box: Box): Promise<AgentRun> {
  const plugin = `${box.dir}/docker-compose`;
  const usual = await Deno.readTextFile(plugin);
  const filler = `/bin/dd if=/dev/zero of='${box.stateDir}/filler' bs=4096 2>/dev/null`;
  await Deno.writeTextFile(
    plugin,
    usual.replace(
      /^exec (.*)$/m,
      (exec, command: string) =>
        `case " $* " in *" up "*) ${command}; code=$?; ${filler}; exit $code ;; esac\n${exec}`,
    ),
  );
  try {
    return await box.tick();
  } finally {
    await Deno.writeTextFile(plugin, usual);
  }
}

Deno.test({
  name: "a state folder that fills up at any moment: DISK_FULL, nothing torn, no lease each minute",
  ignore,
  fn: async (t) => {
    await onSmallDisk("stateDir", async (box, disk) => {
      for (const step of MOMENTS) {
        await t.step(`full after ${step}`, async () => {
          // The state is full after the lease: its token cannot be kept.
          if (step === "stage") await box.reveal();
          const { web } = await lookAtServices(box);
          const since = box.tenancy.record.reports.length;
          const sha = await publishRelease(box, { revision: `s-${step}` });
          const run = await tickFull(box, disk, step);
          assertEquals(run.code, 75, run.stderr);
          assertStringIncludes(run.stderr, "DISK_FULL");
          await readable(box);
          const leases = box.tenancy.record.leases.length;
          const again = await box.tick();
          assertEquals(again.code, 75, again.stderr);
          assertStringIncludes(again.stderr, "DISK_FULL");
          assertEquals(box.tenancy.record.leases.length, leases, "a lease was taken for nothing");
          const ran = run.children.some((each) => / up /.test(each));
          const now = (await lookAtServices(box))["web"];
          if (ran) assertEquals(now?.revision, `s-${step}`);
          else assertEquals(now, web);
          await recover(box, disk, sha, since);
        });
      }
    });
  },
});

Deno.test({
  name: "a full state folder keeps nobody from checking in, and a kept report waits for room",
  ignore,
  fn: async () => {
    await onSmallDisk("stateDir", async (box, disk) => {
      box.tenancy.faults.arm({ kind: "unavailable", call: "report" });
      await publishRelease(box, { revision: "kept" });
      assertEquals((await box.tick()).code, 0);
      box.tenancy.faults.clear();
      await disk.fill(0);
      const checkins = box.tenancy.record.checkins.length;
      const full = await box.tick();
      assertEquals(full.code, 0, full.stderr);
      assertEquals(box.tenancy.record.checkins.length, checkins + 1);
      await disk.makeRoom();
      assertEquals((await box.tick()).code, 0);
      assertEquals((await box.state())?.["outbox"], []);
      assertEquals(box.tenancy.record.reports.map((each) => each.result), ["applied"]);
      assertEquals((await converge(box)).problem, null);
    });
  },
});
