/** Field cases run from their own files on the lab's Engine and plugin. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { compareReleased, takeReleased } from "../../src/core/as_released.ts";
import { configArgs, downArgs, upArgs } from "../../src/core/compose_argv.ts";
import { classifyComposeFailure, refuseEmptyModel } from "../../src/core/compose_failure.ts";
import type { Code } from "../../src/errors.ts";
import { caseFile } from "../fakes/docker_values.ts";
import { type RealBench, withBench } from "./docker_bench.ts";
import { resolve, watch } from "./docker_watch.ts";

/** A case's compose file, on the lab's image, whose busybox is called by its applets' names. */
function fileOf(path: string): string {
  return caseFile(path).replaceAll("local/busybox:1", "lab/bb:1").replaceAll(`"/busybox",`, "");
}

Deno.test("case 19 (real): a job that failed and a service that was removed are unhealthy", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(fileOf("19-ps-hides-dead-and-missing/docker-compose.yml"));
    await bench.succeed(upArgs(target));
    assertStringIncludes((await watch(bench, target)).troubles.join(), "job exited with 4");
    await bench.remove((await bench.byService())["web"]?.id ?? "");
    assertStringIncludes((await watch(bench, target)).troubles.join(), "web missing");
  });
});

Deno.test("case 20 (real): a finished one-shot beside a running service is healthy", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(fileOf("20-one-shot-exit-0/docker-compose.yml"));
    await bench.succeed(upArgs(target));
    assertEquals((await watch(bench, target)).kind, "healthy");
  });
});

Deno.test("case 21 (real): after one up, a finished one-shot gives no reason for another", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(fileOf("21-one-shot-runs-on-every-up/docker-compose.yml"));
    await bench.succeed(upArgs(target));
    assertEquals((await watch(bench, target)).kind, "healthy");
    const model = await resolve(bench, target);
    const released = takeReleased(await bench.docker.list(bench.project), model);
    for (let idle = 0; idle < 3; idle++) {
      const now = await bench.docker.list(bench.project);
      assertEquals(compareReleased(released, now), { same: true });
    }
    assertEquals(await Deno.readTextFile(`${bench.dir}/out/log`), "run\n");
  });
});

Deno.test("case 24 (real): a start period is waited for, then unhealthy is final", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(fileOf("24-health-starting-for-long/docker-compose.yml"));
    const startMs = performance.now();
    await bench.succeed(upArgs(target));
    // The wait is the healthcheck's own, not the second that is configured here: after that, or after
    // the longest that the healthcheck may take, the trouble would be "healthcheck still starting".
    const { kind, troubles } = await watch(bench, target, { timeoutMs: 1_000 });
    assertEquals([kind, ...troubles], ["unhealthy", "slow unhealthy"]);
    const tookMs = performance.now() - startMs;
    assertEquals(tookMs > 6_000, true, `its start period is 6 s, and it took ${tookMs} ms`);
  });
});

/** Case 28: file → what the message says. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["1.yml", `service "a" names something that is not defined`],
  ["2.yml", "no service to start"],
  ["3.yml", "no service to start"],
  ["4.yml", "the compose file is empty"],
  ["5.yml", "docker compose refuses the files"],
  ["6-duplicate-key.yml", "line"],
];

for (const [name, says] of REFUSED) {
  Deno.test(`case 28 (real): ${name} is refused before anything is touched`, async () => {
    await withBench(async (bench) => {
      const target = await bench.release(fileOf(`28-profile-dependency-and-empty-set/${name}`));
      const result = await bench.compose.config(bench.call(configArgs(target)));
      const error = result.ok ? refuseEmptyModel(result.model) : classifyComposeFailure({
        ...result.outcome,
        step: "validate",
        timeoutMs: 60_000,
        mask: (text) => text,
      });
      assertEquals(error?.code, "COMPOSE_INVALID");
      assertStringIncludes(error?.message ?? "", says);
    });
  });
}

/** Case 30: file → code, and the name in the message. */
const ABSENT: readonly (readonly [string, Code, string])[] = [
  ["2.yml", "NETWORK_MISSING", `"bugs-edge-missing"`],
  ["3.yml", "VOLUME_MISSING", `"bugs-vol-missing"`],
];

for (const [name, code, says] of ABSENT) {
  Deno.test(`case 30 (real): ${name} is the box's fault, told by name`, async () => {
    await withBench(async (bench) => {
      const target = await bench.release(fileOf(`30-network-label-or-external-missing/${name}`));
      const outcome = await bench.compose.run(bench.call(upArgs(target)));
      const mask = (text: string): string => text;
      const facts = { ...outcome, step: "up", timeoutMs: 60_000, mask } as const;
      const error = classifyComposeFailure(facts);
      assertEquals(error.code, code);
      assertStringIncludes(error.message, says);
    });
  });
}

Deno.test("case 38 (real): down keeps the volumes unless it is told otherwise", async () => {
  await withBench(async (bench: RealBench) => {
    const target = await bench.release(fileOf("38-volumes-and-down/docker-compose.yml"));
    await bench.succeed(upArgs(target));
    const volume = `${bench.project}_data`;
    await bench.succeed(downArgs(bench.project, { stopTimeoutS: 1, volumes: false }));
    assertEquals(await bench.docker.list(bench.project), []);
    assertEquals(await bench.docker.volumes(bench.project), [volume]);
    await bench.succeed(downArgs(bench.project, { stopTimeoutS: 1, volumes: true }));
    assertEquals(await bench.docker.volumes(bench.project), []);
  });
});
