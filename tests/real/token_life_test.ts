/**
 * A box's token on the real OpenBao: renewal, ceiling, swap, a kit that is revealed again, and how
 * few leases a deploy that keeps failing may cost (SPEC §5).
 */

import { assert, assertEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { type BaoHandle, configureRole, listAccessors } from "../../scripts/lab/mod.ts";
import type { RecordedLease } from "../../scripts/tenancy/record.ts";
import { onBox, onRunningBox, runningBundle } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";
import { inProcess } from "../support/in_process.ts";
import { withBao } from "../support/own_bao.ts";

/** The accessors of the box's tokens: all but root's and tenancy's, which were there before. */
async function boxTokens(bao: BaoHandle, before: readonly string[]): Promise<readonly string[]> {
  return (await listAccessors(bao)).filter((accessor) => !before.includes(accessor));
}

async function savedToken(box: Box): Promise<{ accessor: string; value: string; source: string }> {
  return JSON.parse(await Deno.readTextFile(`${box.stateDir}/session.json`)).token;
}

/**
 * A life of thirty days in eighteen seconds. A token is renewed when it has less than half of that
 * left, far above what a config may say: a machine that stands still for seconds loses none.
 */
const LIFE = { ttlS: 12, maxS: 18, renewBelowS: 9 } as const;
/** OpenBao and the agent count in whole seconds, each. */
const ROUNDED_S = 2;
const CEILINGS = 3;

Deno.test("ticks live through renewal, ceiling and swap; one login a ceiling, one living token", async () => {
  await withBao(async (bao) => {
    const before = await listAccessors(bao);
    const { ttlS, maxS, renewBelowS } = LIFE;
    await configureRole(bao, { token_ttl: `${ttlS}s`, token_max_ttl: `${maxS}s` });
    await onBox(async (box) => {
      await box.secret("key", { value: "v" });
      await box.reveal();
      await box.tenancy.publish(box.env, runningBundle("1"));
      const { tick, lines } = await inProcess(box, (config) => ({
        ...config,
        bao: { ...config.bao, renewBelowS },
      }));
      const { leases } = box.tenancy.record;
      const swaps = (): readonly RecordedLease[] =>
        leases.filter(({ reason }) => reason === "renew");
      const startedAt = performance.now();
      let ticks = 0;
      let maxTokens = 0;
      while (swaps().length < CEILINGS && performance.now() - startedAt < 180_000) {
        const { error } = await tick();
        assertEquals(error, null, `tick ${ticks}: ${error?.code} ${error?.message}`);
        ticks++;
        maxTokens = Math.max(maxTokens, (await boxTokens(bao, before)).length);
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      const count = (event: string): number => lines.filter((line) => line.includes(event)).length;
      console.log(
        `    ${ticks} ticks: ${count("token renewed")} renewals, ${swaps().length} swaps at the ` +
          `ceiling, at most ${maxTokens} living tokens after a tick`,
      );
      assertEquals(swaps().length, CEILINGS, "it was not swapped at each ceiling");
      assertEquals(leases.length - CEILINGS, 1, "more than one lease for the apply");
      const swappedAt = leases.map(({ at }) => Date.parse(at));
      const livesMs = swappedAt.slice(1).map((at, index) => at - (swappedAt[index] ?? 0));
      const shortestMs = (maxS - renewBelowS - ROUNDED_S) * 1000;
      assert(livesMs.every((ms) => ms >= shortestMs), `swapped too soon: after ${livesMs} ms`);
      // Each swap follows a renewal that came back short; those before it gained time.
      assert(count("token renewed") > CEILINGS, "no renewal gained anything");
      assertEquals(count("logged in with the bootstrap grant"), 1);
      assertEquals([maxTokens, (await boxTokens(bao, before)).length], [1, 1]);
      assertEquals(await boxTokens(bao, before), [(await savedToken(box)).accessor]);
      assertEquals(box.tenancy.record.violations, []);
    }, { bao, leasesPerHour: 100 });
  });
});

Deno.test("a kit that is revealed again: the new grant wins, the old token is revoked, services stay", async () => {
  await withBao(async (bao) => {
    const before = await listAccessors(bao);
    await onRunningBox(async (box) => {
      const containers = (await box.containers()).map(({ Id }) => Id);
      const old = await savedToken(box);
      await box.reveal();
      const run = await box.tick();
      assertEquals([run.code, run.children], [0, []], run.stderr);
      const renewed = await savedToken(box);
      assert(old.accessor !== renewed.accessor && renewed.source === "bootstrap");
      assertEquals(await boxTokens(bao, before), [renewed.accessor]);
      assertEquals((await box.containers()).map(({ Id }) => Id), containers);
      await box.tenancy.publish(box.env, runningBundle("2"));
      assertEquals((await box.tick()).code, 0);
      const last = await savedToken(box);
      assertEquals([last.source, await boxTokens(bao, before)], ["lease", [last.accessor]]);
    }, { bao });
  });
});

Deno.test("a hundred applies that fail after their lease cost one lease", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(
      box.env,
      webBundle({ entries: [{ var: "KEY", path: "never-written" }] }),
    );
    const { tick } = await inProcess(box);
    for (let count = 0; count < 100; count++) {
      const { error, decision } = await tick({ force: true });
      assertEquals([decision, error?.code], ["apply", "SECRET_NOT_FOUND"], error?.message);
    }
    const { leases, reports } = box.tenancy.record;
    assertEquals([leases.length, leases[0]?.reason], [1, "apply"]);
    assertEquals(reports.length, 100);
    assertEquals([...new Set(reports.map(({ token_source }) => token_source))], ["lease"]);
    assertEquals(await box.containers(), []);
  });
});

Deno.test("no lease to be had: applies go on with the bootstrap token, and the swap comes when it may", async () => {
  let now = Date.now();
  await onBox(async (box) => {
    await box.secret("key", { value: "v" });
    await box.reveal();
    box.tenancy.faults.arm({ kind: "rate_limited", call: "lease" });
    for (const revision of ["1", "2"]) {
      await box.tenancy.publish(box.env, runningBundle(revision));
      const run = await box.tick();
      assertEquals(run.code, 0, run.stderr);
      assertEquals((await savedToken(box)).source, "bootstrap");
    }
    box.tenancy.faults.clear();
    now += 3_600_000;
    await box.tenancy.publish(box.env, runningBundle("3"));
    assertEquals((await box.tick()).code, 0);
    assertEquals((await savedToken(box)).source, "lease");
    assertEquals(
      box.tenancy.record.reports.map(({ token_source }) => token_source),
      ["bootstrap", "bootstrap", "lease"],
    );
  }, { leaseClock: { now: () => now } });
});
