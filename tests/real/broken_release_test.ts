/**
 * A broken release over a good one, `on_failure: leave`: the cause by its code and with logs, the
 * retry paced, the good release's containers kept (same id, same start) wherever compose allows it,
 * and the next good release applies.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { isQuiet } from "../../scripts/matrix/converge.ts";
import { lookAtServices } from "../../scripts/matrix/look.ts";
import { onBox } from "../support/boxes.ts";
import { BROKEN, bundle, good } from "../support/broken_releases.ts";

interface Failed {
  readonly sha: string;
  readonly code: string;
  readonly attempts: number;
  readonly at: number;
  readonly nextAttemptAt: number;
}

async function failedOf(box: Box): Promise<Failed | null> {
  return (await box.state())?.["failed"] as Failed | null;
}

async function applyGood(box: Box, revision: string): Promise<void> {
  await box.tenancy.publish(box.env, good(revision));
  const run = await box.tick();
  assertEquals(run.code, 0, run.stderr);
  const { web, worker } = await lookAtServices(box);
  assertEquals([web?.state, web?.revision, worker?.state], ["running", revision, "running"]);
  assertEquals(await failedOf(box), null);
}

Deno.test("a broken release over a good one, each in its own way", async (t) => {
  await onBox(async (box) => {
    const { username: user, password } = box.lab.registry;
    await box.secret("registry", { user, password, expired: "yesterday's" });
    await box.reveal();
    await applyGood(box, "0");
    for (const [index, { name, files, obstacle, ...expected }] of BROKEN.entries()) {
      await t.step(`${name}: ${expected.code}`, async () => {
        const before = await lookAtServices(box);
        const clear = await obstacle?.(box);
        const { sha } = await box.tenancy.publish(box.env, files(box));
        const run = await box.tick();
        await clear?.();
        assertEquals(run.code, expected.exit ?? 1, run.stderr);
        assertStringIncludes(run.stderr, `${expected.code}: `);

        const after = await lookAtServices(box);
        assertEquals(after["worker"], before["worker"], "the other service was touched");
        if (expected.web === "kept") assertEquals(after["web"], before["web"]);
        else assert(after["web"]?.id !== before["web"]?.id, "compose allows more than was thought");

        const report = box.tenancy.record.reports.at(-1);
        assertEquals([report?.sha, report?.result, report?.code], [sha, "failed", expected.code]);
        assert((report?.detail ?? "").length <= 16 << 10, "the detail is not bounded");
        for (const part of expected.says) assertStringIncludes(report?.detail ?? "", part);
        const failed = await failedOf(box);
        assertEquals([failed?.sha, failed?.code, failed?.attempts], [sha, expected.code, 1]);
        assertEquals((failed?.nextAttemptAt ?? 0) - (failed?.at ?? 0), 60_000);
        const waiting = await box.tick();
        assert(isQuiet(waiting), `it does not wait quietly:\n${waiting.stderr}`);
        assertStringIncludes(waiting.stderr, expected.code);
        if (expected.web === "gone") await applyGood(box, `good ${index}`);
      });
    }
    await applyGood(box, "at last");
  }, { config: { settle_s: 1, health_timeout_s: 10 } });
});

Deno.test("a release that fails again waits longer, --now tries at once, another release does not wait", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await applyGood(box, "0");
    await box.tenancy.publish(box.env, bundle(`image: "Lab/BB:1"`));
    const waits: number[] = [];
    for (const args of [[], ["--now"], ["--now"]]) {
      assertEquals((await box.tick(args)).code, 1);
      const failed = await failedOf(box);
      waits.push(((failed?.nextAttemptAt ?? 0) - (failed?.at ?? 0)) / 60_000);
    }
    assertEquals(waits, [1, 2, 5]);
    await box.tenancy.publish(box.env, bundle(`image: "Lab/BB:2"`));
    assertEquals((await box.tick()).code, 1);
    assertEquals((await failedOf(box))?.attempts, 1);
  });
});
