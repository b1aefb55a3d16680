/** The judgement of health on real containers, and the last lines of what failed. */

import { assertEquals } from "@std/assert";
import { type ComposeTarget, configArgs, repairArgs, upArgs } from "../../src/core/compose_argv.ts";
import {
  containersToInspect,
  type HealthVerdict,
  judgeHealth,
  startHealthWatch,
} from "../../src/core/health.ts";
import { type RealBench, withBench } from "./docker_bench.ts";

interface Watched {
  readonly kind: HealthVerdict["kind"];
  /** `service cause` of each trouble. */
  readonly troubles: readonly string[];
  readonly tookMs: number;
}

/** Watches the project as the agent does, with a settle time of 2 s. */
async function watch(
  bench: RealBench,
  target: ComposeTarget,
  timeoutMs = 60_000,
): Promise<Watched> {
  const config = await bench.compose.config(bench.call(configArgs(target)));
  if (!config.ok) throw new Error("config failed");
  const start = performance.now();
  const rules = { timeoutMs, settleMs: 2_000 };
  let going = startHealthWatch(config.model.services, { rules, nowMs: start });
  for (;;) {
    const containers = await bench.docker.list(bench.project);
    const details = await bench.docker.inspectAll(containersToInspect(going, containers));
    const atMs = performance.now();
    const judged = judgeHealth(going, { atMs, containers, details });
    going = judged.watch;
    const { verdict } = judged;
    if (verdict.kind !== "waiting") {
      const services = verdict.kind === "unhealthy" ? verdict.services : [];
      const troubles = services.map((each) => `${each.service} ${each.cause}`);
      return { kind: verdict.kind, troubles, tookMs: atMs - start };
    }
    await new Promise((done) => setTimeout(done, 250));
  }
}

Deno.test("case 20 (real): a finished one-shot beside a running service is healthy", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(`services:
  migrate: {image: "lab/bb:1", command: ["sh", "-c", "exit 0"], restart: "no"}
  web: {image: "lab/bb:1"}`);
    await bench.succeed(upArgs(target));
    assertEquals((await watch(bench, target)).kind, "healthy");
  });
});

Deno.test("case 23 (real): a crash loop is unhealthy, with its exit code and its last lines", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(`services:
  loop: {image: "lab/bb:1", command: ["sh", "-c", "echo boom; exit 3"], restart: always}`);
    await bench.succeed(upArgs(target));
    const { kind, troubles, tookMs } = await watch(bench, target);
    assertEquals([kind, ...troubles], ["unhealthy", "loop restart loop, last exit 3"]);
    assertEquals(tookMs < 40_000, true, `${tookMs} ms`);
    const id = (await bench.byService())["loop"]?.id ?? "";
    const lines = await bench.docker.logs(id, { tail: 2, maxBytes: 100, mask: (text) => text });
    assertEquals(lines, ["boom", "boom"]);
  });
});

Deno.test("case 24 (real): a start period is waited for, then unhealthy is final", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(`services:
  slow:
    image: "lab/bb:1"
    healthcheck: {test: ["CMD", "test", "-f", "/ready"], interval: 1s, timeout: 1s, retries: 2, start_period: 4s}
  nohc: {image: "lab/bb:1"}`);
    await bench.succeed(upArgs(target));
    const { kind, troubles, tookMs } = await watch(bench, target, 1_000);
    assertEquals([kind, ...troubles], ["unhealthy", "slow unhealthy"]);
    assertEquals(tookMs > 3_000, true, `${tookMs} ms`);
  });
});

Deno.test("an unhealthy container is left alone by up, and replaced by a repair (real)", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(`services:
  web:
    image: "lab/bb:1"
    healthcheck: {test: ["CMD", "test", "-f", "/ready"], interval: 1s, retries: 1}`);
    await bench.succeed(upArgs(target));
    assertEquals((await watch(bench, target)).kind, "unhealthy");
    const { web } = await bench.byService();
    assertEquals(web?.health, "unhealthy");
    await bench.succeed(repairArgs(target, ["web"], { recreate: false }));
    assertEquals((await bench.byService())["web"]?.id, web?.id);
    await bench.succeed(repairArgs(target, ["web"], { recreate: true }));
    assertEquals((await bench.byService())["web"]?.id === web?.id, false);
  });
});

Deno.test("case 41 (real): logs of a terminal and of frames are cleaned and bounded", async () => {
  await withBench(async (bench) => {
    const script =
      `for i in 1 2 3; do printf '\\\\033[31mline %s\\\\033[0m\\\\r\\\\n' $$i; done; exit 0`;
    const target = await bench.release(`services:
  pipe: {image: "lab/bb:1", command: ["sh", "-c", "${script}"]}
  term: {image: "lab/bb:1", tty: true, command: ["sh", "-c", "${script}"]}`);
    await bench.succeed(upArgs(target));
    assertEquals((await watch(bench, target)).kind, "healthy");
    const services = await bench.byService();
    for (const name of ["pipe", "term"]) {
      const options = { tail: 2, maxBytes: 1_000, mask: (text: string) => text };
      const lines = await bench.docker.logs(services[name]?.id ?? "", options);
      assertEquals(lines, ["line 2", "line 3"]);
    }
  });
});
