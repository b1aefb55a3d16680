/** `status`, `history` and the metrics over a box's life, from the command line. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { CATALOGUE } from "../../src/errors.ts";
import { onBox, runningBundle } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";
import { assertGolden, steady } from "../support/golden.ts";

// deno-lint-ignore no-explicit-any
async function json(box: Box, command: string): Promise<any> {
  const run = await box.run([command, "--json"]);
  assertEquals([run.code, run.writes, run.children], [0, [], []], run.stderr);
  return JSON.parse(run.stdout);
}

async function metrics(path: string): Promise<ReadonlyMap<string, number>> {
  const lines = (await Deno.readTextFile(path)).split("\n");
  return new Map(
    lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice("monky_deployd_".length, at), Number(line.slice(at + 1))] as const;
    }),
  );
}

Deno.test("metrics follow each tick; status and history tell what happened", async () => {
  await onBox(async (box) => {
    const folder = `${box.dir}/textfile`;
    const path = `${folder}/monky.prom`;
    await Deno.mkdir(folder);
    await box.configure({ metrics_textfile: path });
    await box.secret("key", { value: "first value" });
    await box.reveal();
    const { sha } = await box.tenancy.publish(box.env, runningBundle("1"));

    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    assertEquals((await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name), [
      "monky.prom",
    ]);
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o644);
    const applied = await metrics(path);
    for (
      const [name, value] of [
        ["last_tick_success", 1],
        ['last_tick_result{decision="apply",code=""}', 1],
        ["applied_serial", 1],
        ["services_wanted", 1],
        ["outbox_reports", 0],
        ['last_apply_result{result="applied",code=""}', 1],
      ] as const
    ) assertEquals(applied.get(name), value, name);
    assert((applied.get('last_apply_step_seconds{step="up"}') ?? 0) > 0);
    assert((applied.get("token_seconds_left") ?? 0) > 80_000);

    const idle = await box.tick();
    assertEquals([idle.code, idle.writes, idle.requests.tenancy], [0, [], 1], idle.stderr);
    const converged = await metrics(path);
    assertEquals(converged.get('last_tick_result{decision="nothing",code=""}'), 1);
    assertEquals(converged.get("services_up"), 1);

    const good = await json(box, "status");
    assertEquals(good.desired, { state: "present", sha, serial: 1 });
    assertEquals([good.applied.sha, good.last_tick.ok, good.warnings], [sha, true, []]);
    assertEquals(good.services[0].name, "web");

    await failAgainAndAgain(box, path, converged);
    await failToApply(box);
  });
});

/** Two ticks without tenancy: the second writes nothing, the time of the last success stays. */
async function failAgainAndAgain(
  box: Box,
  path: string,
  before: ReadonlyMap<string, number>,
): Promise<void> {
  box.tenancy.faults.arm({ kind: "unavailable", call: "checkin", times: 2 });
  assertEquals((await box.tick()).code, 75);
  const again = await box.tick();
  assertEquals([again.code, again.writes], [75, []]);
  const failing = await metrics(path);
  assertEquals(failing.get("last_tick_success"), 0);
  assertEquals(failing.get('last_tick_result{decision="none",code="TENANCY_UNAVAILABLE"}'), 1);
  const name = "last_success_timestamp_seconds";
  assertEquals(failing.get(name), before.get(name));
  const { last_tick } = await json(box, "status");
  assertEquals([last_tick.ok, last_tick.code], [false, "TENANCY_UNAVAILABLE"]);
  assert(last_tick.since < last_tick.at, JSON.stringify(last_tick));
  assertStringIncludes(
    (await box.run(["status"])).stdout,
    `do: ${CATALOGUE.TENANCY_UNAVAILABLE.hint}`,
  );
}

/** A release that cannot work; and metrics that cannot be written fail nothing. */
async function failToApply(box: Box): Promise<void> {
  await box.configure({ metrics_textfile: `${box.dir}/no/such/folder.prom` });
  await box.tenancy.publish(
    box.env,
    webBundle({ revision: "2", entries: [{ var: "GONE", path: "gone", version: 7 }] }),
  );
  const run = await box.tick();
  assertEquals(run.code, 1, run.stderr);
  assertStringIncludes(run.stderr, "the metrics could not be written");
  const status = await json(box, "status");
  assertEquals([status.failed.code, status.last_tick.ok], ["SECRET_NOT_FOUND", true]);
  assert(status.next_attempt_at !== null);

  const [failed, applied, ...others] = await json(box, "history");
  assertEquals([failed.result, failed.code], ["failed", "SECRET_NOT_FOUND"]);
  assertEquals(failed.steps.at(-1), { ...failed.steps.at(-1), action: "secrets", ok: false });
  assertStringIncludes(failed.cause, "replaces ");
  assertEquals([applied.result, applied.cause], ["applied", "nothing is applied"]);
  assertEquals(others, []);
  const text = (await box.run(["history"])).stdout.replaceAll(
    / steps .*(?:\n {9}.*)*/g,
    " steps …",
  );
  await assertGolden("history_real.txt", steady(text, box));
  const back = await box.tick(["--now"]);
  assertEquals(back.code, 1, back.stderr);
  const [twice] = await json(box, "history");
  assertEquals([twice.times, twice.code], [2, "SECRET_NOT_FOUND"]);
}
