import { assertEquals } from "@std/assert";
import type { ExpectedService } from "../../src/core/health.ts";
import type { Container } from "../../src/model/containers.ts";
import { caseFile, container, containersOfPs, detail, service } from "../fakes/docker_values.ts";
import { CHECK, type Look, RULES, watch } from "../fakes/docker_watch.ts";

Deno.test("case 19: a dead service and a missing one are both unhealthy", () => {
  const expected = [
    service({ name: "job" }),
    service({ name: "web" }),
  ];
  const dead = container({ service: "job", state: "exited", exitCode: 4 });
  const web = container();
  assertEquals(watch(expected, [[0, [web, dead], [detail()]]]), [
    "unhealthy: job exited with 4; web running, watched for 5000 ms",
  ]);
  const done = container({ service: "job", state: "exited", exitCode: 0 });
  const looks: Look[] = [[0, [done]], [5, [done]]];
  assertEquals(watch(expected, looks), ["waiting: web missing", "unhealthy: web missing"]);
});

Deno.test("case 20: a one-shot that exited with 0 counts, by its restart policy", () => {
  const containers = containersOfPs(caseFile("20-one-shot-exit-0/ps-a.ndjson"));
  const table: readonly [ExpectedService["restart"], string][] = [
    ["no", "healthy"],
    ["on-failure", "healthy"],
    ["always", "unhealthy: migrate exited with 0 although restart is always"],
    ["unless-stopped", "unhealthy: migrate exited with 0 although restart is unless-stopped"],
  ];
  for (const [restart, verdict] of table) {
    const expected = [service({ name: "migrate", restart }), service({ name: "web" })];
    const details = [detail({ id: "id-1" })];
    const looks: Look[] = [[0, containers, details], [5, containers, details]];
    assertEquals(watch(expected, looks).at(-1), verdict);
  }
});

Deno.test("case 22: the failed one-shot is named first, and the service that it took down too", () => {
  const containers = containersOfPs(
    caseFile("22-failed-update-kills-old-service/ps-a-after.ndjson"),
  );
  const expected = [service({ name: "web" }), service({ name: "migrate" })];
  assertEquals(watch(expected, [[0, containers]]), [
    "unhealthy: migrate exited with 1; web created but never started",
  ]);
});

Deno.test("case 23: a crash loop is unhealthy with the exit code of the status text", () => {
  const samples = caseFile("23-crash-loop-looks-running/samples.ndjson").trim().split("\n")
    .map((line) => containersOfPs(line));
  const [running = [], , restarting = []] = samples;
  const expected = [service({ name: "loop", restart: "always" })];
  const looks = Array.from({ length: 17 }, (_, at): Look => {
    const seen = at % 2 === 0 ? running : restarting;
    const state = at % 2 === 0 ? "running" : "restarting";
    return [at * 2, seen, [
      detail({ id: "id-0", state, restarts: at, exitCode: 0, startedAt: at }),
    ]];
  });
  const verdicts = watch(expected, looks);
  assertEquals(verdicts.slice(0, 15).some((verdict) => verdict === "healthy"), false);
  assertEquals(verdicts.at(-1), "unhealthy: loop restart loop, last exit 3");
});

Deno.test("case 23: a slow loop that no look ever catches restarting is not called healthy", () => {
  const expected = [service({ restart: "always" })];
  const looks = Array.from({ length: 41 }, (_, at): Look => {
    return [at * 3, [container()], [detail({ restarts: at, startedAt: at * 3_000 })]];
  });
  const verdicts = watch(expected, looks, { ...RULES, timeoutMs: 60_000 });
  assertEquals(verdicts.includes("healthy"), false);
  assertEquals(verdicts.at(-1), "unhealthy: web restart loop, last exit unknown");
});

Deno.test("case 24: a long start_period is waited for, by the healthcheck's own times", () => {
  const expected = [
    service({ name: "slow", healthcheck: { ...CHECK, startPeriodMs: 200_000 } }),
    service({ name: "nohc" }),
  ];
  const at = (atS: number, health: Container["health"]): Look => [
    atS,
    [container({ service: "slow", health }), container({ service: "nohc" })],
    [detail({ service: "nohc" })],
  ];
  assertEquals(
    watch(expected, [
      at(0, "starting"),
      at(130, "starting"),
      at(209.9, "starting"),
      at(210, "starting"),
    ]),
    [
      "waiting: slow healthcheck still starting; nohc running, watched for 5000 ms",
      "waiting: slow healthcheck still starting",
      "waiting: slow healthcheck still starting",
      "unhealthy: slow healthcheck still starting",
    ],
  );
});

Deno.test("case 24: starting is pending, unhealthy fails at once, healthy is healthy", () => {
  const expected = [service({ name: "slow", healthcheck: CHECK }), service({ name: "nohc" })];
  const at = (atS: number, health: Container["health"]): Look => [
    atS,
    [container({ service: "slow", health }), container({ service: "nohc" })],
    [detail({ service: "nohc" })],
  ];
  const fails = watch(expected, [at(0, "starting"), at(3, "starting"), at(8, "unhealthy")]);
  assertEquals(fails.slice(1), [
    "waiting: slow healthcheck still starting; nohc running, watched for 5000 ms",
    "unhealthy: slow unhealthy",
  ]);
  assertEquals(watch(expected, [at(0, "starting"), at(6, "healthy")]).at(-1), "healthy");
});

Deno.test("case 40: one-off containers and orphans count for nothing", () => {
  const containers = [
    ...containersOfPs(caseFile("40-drift-loop/ps-a.ndjson")),
    container({ service: "orphan", state: "exited", exitCode: 9 }),
  ];
  const details = [detail({ id: "id-0" })];
  const looks: Look[] = [[0, containers, details], [5, containers, details]];
  assertEquals(watch([service({ name: "a" })], looks).at(-1), "healthy");
});
