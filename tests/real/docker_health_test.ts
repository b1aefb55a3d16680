/** The judgement of health on real containers, and the last lines of what failed. */

import { assertEquals } from "@std/assert";
import { repairArgs, upArgs } from "../../src/core/compose_argv.ts";
import { withBench } from "./docker_bench.ts";
import { watch } from "./docker_watch.ts";

Deno.test("case 23 (real): a crash loop is unhealthy, with its exit code and its last lines", async () => {
  await withBench(async (bench) => {
    // It crashes from the first look on: the Engine's pauses double, so that a watch which begins
    // after some restarts sees few more.
    await Deno.mkdir(`${bench.dir}/go`);
    const loop = "until test -e /go/on; do sleep 0.1; done; echo boom; exit 3";
    const target = await bench.release(`services:
  loop: {image: "lab/bb:1", command: ["sh", "-c", "${loop}"], restart: always, volumes: ["./go:/go"]}`);
    await bench.succeed(upArgs(target));
    const { kind, troubles, tookMs } = await watch(bench, target, {
      onceLooked: async () => void await bench.write("go/on", ""),
    });
    assertEquals([kind, ...troubles], ["unhealthy", "loop restart loop, last exit 3"]);
    assertEquals(tookMs < 60_000, true, `its time was up before, after ${tookMs} ms`);
    const id = (await bench.byService())["loop"]?.id ?? "";
    const lines = await bench.docker.logs(id, { tail: 2, maxBytes: 100, mask: (text) => text });
    assertEquals(lines, ["boom", "boom"]);
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
