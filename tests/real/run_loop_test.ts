/**
 * The process of `run` on a box of the lab (SPEC §8): how soon a change starts, what its signals do,
 * and that it stays as large as it is.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box, RunningAgent } from "../../scripts/box/box.ts";
import { minimalPermissions, toFlags } from "../../src/core/permissions.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { onBox, runningBundle } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";

/** Longer than anything takes that comes at all. */
const WAIT_MS = 120_000;

/** Starts `run` on a box where it applies a first release, and gives it when it is at rest. */
async function startRun(box: Box, lines: string[]): Promise<RunningAgent> {
  await box.secret("key", { value: "first value" });
  await box.reveal();
  await box.tenancy.publish(box.env, runningBundle("1"));
  const running = await box.start(["run"], { onLine: (line) => void lines.push(line) });
  await box.tenancy.record.waitFor(({ reports }) => reports[0], WAIT_MS);
  await atRest(box);
  return running;
}

/** Waits for a check-in that may be held: the tick before it is over. */
async function atRest(box: Box, after = 0): Promise<void> {
  await box.tenancy.record.waitFor(
    ({ checkins }) => checkins.slice(after).find(({ wait_s }) => (wait_s ?? 0) > 0),
    WAIT_MS,
  );
}

/** Publishes the next release; gives the milliseconds until the child `compose up` has started. */
async function msUntilUp(box: Box, revision: string): Promise<number> {
  const before = ups(box);
  await box.tenancy.publish(box.env, runningBundle(revision));
  const publishedAt = performance.now();
  await waitFor("compose up", WAIT_MS, () => Promise.resolve(ups(box) > before ? true : null), 5);
  return performance.now() - publishedAt;
}

function ups(box: Box): number {
  return Deno.readTextFileSync(`${box.dir}/children.log`).split("\n")
    .filter((line) => / up /.test(line)).length;
}

async function stopped(running: RunningAgent): Promise<{ code: number; ms: number; log: string }> {
  const at = performance.now();
  running.kill("SIGTERM");
  const { code, stderr } = await running.ended;
  return { code, ms: performance.now() - at, log: stderr };
}

/**
 * Starts a program that does nothing but end at SIGTERM; gives what sends it that and gives the
 * milliseconds until its end: what this machine takes for it just then.
 */
async function startBeside(): Promise<() => Promise<number>> {
  const program = 'Deno.addSignalListener("SIGTERM", () => Deno.exit(7)); ' +
    'setInterval(() => {}, 60_000); console.log("ready");';
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "-q", program],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  return async () => {
    const at = performance.now();
    child.kill("SIGTERM");
    const { code } = await child.status;
    const ms = performance.now() - at;
    await reader.cancel();
    assertEquals(code, 7, "it ended by itself");
    return ms;
  };
}

Deno.test("run: a change starts compose up in under 1 s, hangups are obeyed, SIGTERM ends it at once", async () => {
  await onBox(async (box) => {
    const lines: string[] = [];
    const running = await startRun(box, lines);

    const times: number[] = [];
    for (const revision of ["2", "3", "4"]) {
      const { length } = box.tenancy.record.checkins;
      times.push(await msUntilUp(box, revision));
      await atRest(box, length + 1);
    }
    console.log(`    compose up started ${times.map(Math.round).join(", ")} ms after a change`);
    // Others work on the machine, too: one of three tells what the loop can do.
    assert(Math.min(...times) < 1_000, `${times}`);

    const hangUp = async (until: string): Promise<void> => {
      running.kill("SIGHUP");
      await waitFor(
        until,
        WAIT_MS,
        () => Promise.resolve(lines.some((line) => line.includes(until)) ? true : null),
      );
    };
    let { length } = box.tenancy.record.checkins;
    await box.configure({ site: "elsewhere" });
    await hangUp("config read again");
    await atRest(box, length);
    assertEquals(box.tenancy.record.checkins.at(-1)?.site, "elsewhere");

    length = box.tenancy.record.checkins.length;
    await Deno.writeTextFile(box.configPath, "env_id: X\n");
    await hangUp("CONFIG_INVALID");
    await box.configure({ state_dir: `${box.dir}/other` });
    await hangUp("CONFIG_NEEDS_RESTART");
    await atRest(box, length);
    assertEquals(box.tenancy.record.checkins.at(-1)?.site, "elsewhere");
    assertEquals(box.tenancy.record.violations, []);

    const beside = await startBeside();
    const [end, besideMs] = await Promise.all([stopped(running), beside()]);
    assertEquals(end.code, 0, end.log);
    assert(end.ms < 1_000 + besideMs, `it took ${end.ms} ms to end, what does nothing ${besideMs}`);
    assertEquals(lines.filter((line) => line.includes("not taken")).length, 2, end.log);
    assertStringIncludes(end.log, "stopped by=SIGTERM");
  });
});

Deno.test("run: a tenancy that ignores wait_s is followed within interval_s; SIGTERM stops an apply", async () => {
  await onBox(async (box) => {
    await box.configure({ interval_s: 5 });
    const running = await startRun(box, []);
    const times: number[] = [];
    for (const [index, revision] of ["2", "3", "4", "5"].entries()) {
      times.push(await msUntilUp(box, revision));
      await box.tenancy.record.waitFor(({ reports }) => reports[index + 1], WAIT_MS);
      // Others work on the machine, too, and a pause may just have begun: one of a few tells what
      // the loop can do.
      if (Math.min(...times) < 5_000) break;
    }
    console.log(`    without a long poll: ${times.map(Math.round).join(", ")} ms`);
    assert(Math.min(...times) < 5_000, `${times}`);

    const compose = `services:\n  web:\n    image: lab/bb:1\n    ${LONG_RUNNING}
  later:\n    image: lab/bb:1\n    ${LONG_RUNNING}
    depends_on: {web: {condition: service_healthy}}\n`;
    const sick = "healthcheck: {test: [CMD, 'false'], interval: 1s, retries: 100}";
    await box.tenancy.publish(box.env, {
      "docker-compose.yml": compose.replace("later:", `  ${sick}\n  later:`),
    });
    const before = ups(box);
    await waitFor("compose up", WAIT_MS, () => Promise.resolve(ups(box) > before ? true : null), 5);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const end = await stopped(running);
    assertEquals(end.code, 0, end.log);
    assertStringIncludes(end.log, "INTERRUPTED");
    assert(end.ms < 12_000, `it took ${end.ms} ms to end`);
    assertEquals(pidsOf(box), [], "a child is left");
    const applying = (await box.state())?.["applying"] as Record<string, unknown>;
    assertEquals(applying["step"], "up");
  }, { maxWaitS: 0 });
});

/** Ids of the processes whose command line names the box's folder. */
function pidsOf(box: Box): readonly number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    if (!Number.isInteger(pid)) return false;
    try {
      return Deno.readTextFileSync(`/proc/${pid}/cmdline`).includes(`${box.dir}/`);
    } catch {
      return false;
    }
  });
}

/** What V8 is told in a package. */
function shippedV8Flags(): readonly string[] {
  return toFlags(minimalPermissions({ configPath: "/" }), "package")
    .filter((flag) => flag.startsWith("--v8-flags="));
}

/** V8 looks through its old heap for the first time after some 400 ticks: until then it only grows. */
const WARM_UP = 450;
const TICKS = 300;

/** What a process takes: resident MiB, and open descriptors. */
function takenBy(pid: number): { readonly mib: number; readonly descriptors: number } {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`)) ?? [];
  return {
    mib: Number(kib) / 1024,
    descriptors: [...Deno.readDirSync(`/proc/${pid}/fd`)].length,
  };
}

Deno.test("run: 300 ticks after the warm-up take no more memory and no more descriptors", async () => {
  await onBox(async (box) => {
    await box.secret("key", { value: "first value" });
    await box.reveal();
    await box.configure({ interval_s: 5 });
    await box.tenancy.publish(box.env, runningBundle("1"));
    const root = new URL("../../", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-q", "-A", "--no-check", ...shippedV8Flags(), "--config", `${root}deno.json`],
        ...[`${root}tests/support/fast_run.ts`, box.configPath, "1000"],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    }).spawn();
    const logged = new Response(child.stderr).text();
    const { checkins } = box.tenancy.record;
    const ticks = (): number => checkins.filter(({ wait_s }) => wait_s === undefined).length;
    const samples: { readonly tick: number; mib: number; descriptors: number }[] = [];
    await waitFor("the ticks", 400_000, () => {
      const tick = ticks();
      samples.push({ tick, ...takenBy(child.pid) });
      return Promise.resolve(tick >= WARM_UP + TICKS ? true : null);
    }, 50);
    child.kill("SIGTERM");
    const { code } = await child.status;
    const log = await logged;
    assertEquals(code, 0, log);
    assertEquals(log.split("\n").filter((line) => /^<[0-4]>/.test(line)), [], "a tick failed");
    const warm = samples.filter(({ tick }) => tick > WARM_UP - 50 && tick <= WARM_UP);
    const later = samples.filter(({ tick }) => tick > WARM_UP + TICKS - 50);
    const most = (of: typeof samples, key: "mib" | "descriptors"): number =>
      Math.max(...of.map((sample) => sample[key]));
    const grown = most(later, "mib") - most(warm, "mib");
    console.log(
      `    ${ticks()} ticks: ${most(warm, "mib").toFixed(1)} MiB warm, ` +
        `${grown.toFixed(1)} MiB more ${TICKS} ticks later; ` +
        `at most ${most(warm, "descriptors")} and ${most(later, "descriptors")} descriptors`,
    );
    assert(grown <= 5, `it grew by ${grown} MiB`);
    // A sample may meet one connection more; a leak would be many in so many ticks.
    assert(most(later, "descriptors") <= most(warm, "descriptors") + 5, "descriptors leak");
  }, { maxWaitS: 0 });
});
