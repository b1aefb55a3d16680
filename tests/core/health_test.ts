import { assertEquals } from "@std/assert";
import {
  containersToInspect,
  type HealthSample,
  judgeHealth,
  startHealthWatch,
  untilNextLookMs,
} from "../../src/core/health.ts";
import { hasFailed } from "../../src/core/health_container.ts";
import { container, detail, service } from "../fakes/docker_values.ts";
import { CHECK, type Look, RULES, watch } from "../fakes/docker_watch.ts";

Deno.test("a service with a healthcheck is healthy as soon as the Engine says so", () => {
  const looks: Look[] = [
    [0, [container({ health: "starting" })], [detail({ health: "starting" })]],
    [2, [container({ health: "healthy" })]],
  ];
  assertEquals(watch([service({ healthcheck: CHECK })], looks), [
    "waiting: web healthcheck still starting",
    "healthy",
  ]);
});

Deno.test("a service without a healthcheck must run through settle_s from the first look", () => {
  const looks: Look[] = [0, 4.9, 5].map((at) => [at, [container()], [detail()]]);
  assertEquals(watch([service()], looks), [
    "waiting: web running, watched for 5000 ms",
    "waiting: web running, watched for 5000 ms",
    "healthy",
  ]);
});

Deno.test("a restart while settling starts the settling anew, whatever the samples show", () => {
  const looks: Look[] = [
    [0, [container()], [detail()]],
    [4, [container()], [detail({ restarts: 1, startedAt: 4_000 })]],
    [6, [container()], [detail({ restarts: 1, startedAt: 4_000 })]],
    [9, [container()], [detail({ restarts: 1, startedAt: 4_000 })]],
  ];
  assertEquals(watch([service({ restart: "always" })], looks), [
    "waiting: web running, watched for 5000 ms",
    "waiting: web restarted 1 times, last exit unknown",
    "waiting: web restarted 1 times, last exit unknown",
    "healthy",
  ]);
});

Deno.test("restarts from before the watch are not this release's fault", () => {
  const looks: Look[] = [0, 5].map((at) => [at, [container()], [detail({ restarts: 40 })]]);
  assertEquals(watch([service({ restart: "always" })], looks).at(-1), "healthy");
});

Deno.test("an image's own healthcheck sets the deadline when the files name none", () => {
  const healthcheck = { ...CHECK, startPeriodMs: 300_000 };
  const seen = container({ health: "starting" });
  const expected = [service()];
  const looks: Look[] = [[0, [seen], [detail({ healthcheck })]], [200, [seen]], [310, [seen]]];
  assertEquals(watch(expected, looks).map((verdict) => verdict.split(":")[0]), [
    "waiting",
    "waiting",
    "unhealthy",
  ]);
});

Deno.test("what was unhealthy before the up gets time until the deadline, once", () => {
  const bad = container({ health: "unhealthy" });
  const good = container({ health: "healthy" });
  const expected = [service({ healthcheck: CHECK }), service({ name: "b" })];
  const looks: Look[] = [[0, [bad]], [3, [bad]], [4, [good]], [4.5, [bad]]];
  assertEquals(watch(expected, looks).map((verdict) => verdict.split(";")[0]), [
    "waiting: web unhealthy",
    "waiting: web unhealthy",
    "waiting: b missing",
    "unhealthy: web unhealthy",
  ]);
});

Deno.test("created, paused, dead and unknown states are not good, and fail once they have lasted", () => {
  for (const state of ["created", "paused", "dead", "odd"]) {
    const seen = [container({ state })];
    const verdicts = watch([service()], [[0, seen], [4, seen], [5, seen]]);
    assertEquals(verdicts.map((verdict) => verdict.split(":")[0]), [
      "waiting",
      "waiting",
      "unhealthy",
    ]);
  }
});

Deno.test("a removal and a restart are waited for until health_timeout_s", () => {
  for (const state of ["removing", "restarting"]) {
    const seen = [container({ state, exitCode: state === "restarting" ? 7 : null })];
    const verdicts = watch([service({ restart: "always" })], [[0, seen], [119, seen], [120, seen]]);
    assertEquals(verdicts.map((verdict) => verdict.split(":")[0]), [
      "waiting",
      "waiting",
      "unhealthy",
    ]);
  }
});

Deno.test("replicas are counted: fewer are missing, none wanted need none", () => {
  const one = container();
  const two = container({ id: "id-2" });
  const both = [detail(), detail({ id: "id-2" })];
  const expected = [service({ replicas: 2 }), service({ name: "off", replicas: 0 })];
  assertEquals(
    watch(expected, [[0, [one], both], [5, [one], both]]).at(-1),
    "unhealthy: web missing",
  );
  assertEquals(watch(expected, [[0, [one, two], both], [5, [one, two], both]]).at(-1), "healthy");
});

Deno.test("the exit code and the containers of a trouble are given for its logs", () => {
  const going = startHealthWatch([service()], { rules: RULES, nowMs: 0 });
  const containers = [container({ state: "exited", exitCode: 137 })];
  const { verdict } = judgeHealth(going, { atMs: 0, containers, details: [] });
  assertEquals(verdict, {
    kind: "unhealthy",
    services: [{
      service: "web",
      cause: "exited with 137",
      exitCode: 137,
      containerIds: ["id-web"],
    }],
  });
});

Deno.test("only what can restart unseen is inspected, and a healthcheck's times once", () => {
  const expected = [service(), service({ name: "checked", healthcheck: CHECK })];
  const containers = [
    container({ id: "1" }),
    container({ id: "2", service: "checked", health: "starting" }),
    container({ id: "3", service: "checked", health: "healthy" }),
    container({ id: "4", state: "restarting" }),
    container({ id: "5", state: "exited", exitCode: 0 }),
    container({ id: "6", oneoff: true }),
    container({ id: "7", service: "orphan" }),
  ];
  const going = startHealthWatch(expected, { rules: RULES, nowMs: 0 });
  assertEquals(containersToInspect(going, containers), ["1", "2", "4"]);
  const details = ["1", "2", "4"].map((id) => detail({ id }));
  const next = judgeHealth(going, { atMs: 0, containers, details }).watch;
  assertEquals(containersToInspect(next, containers), ["1", "4"]);
});

Deno.test("a health_timeout_s below settle_s does not fail what runs untroubled", () => {
  const looks: Look[] = [0.1, 5, 5.1].map((at) => [at, [container()], [detail()]]);
  const verdicts = watch([service()], looks, { timeoutMs: 1_000, settleMs: 5_000 });
  assertEquals(verdicts.map((verdict) => verdict.split(":")[0]), ["waiting", "waiting", "healthy"]);
});

Deno.test("restarts in quick succession are no loop when an untroubled run follows", () => {
  const looks = Array.from({ length: 20 }, (_, at): Look => {
    const restarts = Math.min(at, 16);
    return [at * 2, [container()], [detail({ restarts, startedAt: restarts })]];
  });
  const kinds = (count: number): readonly string[] =>
    watch([service({ restart: "always" })], looks.slice(0, count))
      .map((verdict) => verdict.split(":")[0] ?? "");
  assertEquals(new Set(kinds(15)), new Set(["waiting"]));
  assertEquals(kinds(16).at(-1), "unhealthy");
  assertEquals(kinds(20).at(-1), "healthy");
});

Deno.test("the next look comes at its pace, and as soon as the last service has settled", () => {
  const rules = { timeoutMs: 120_000, settleMs: 1_000 };
  const expected = [service(), service({ name: "db" })];
  const web = container({ id: "1" });
  const db = container({ id: "2", service: "db" });
  const [ofWeb, ofDb] = [detail({ id: "1" }), detail({ id: "2" })];
  let now = startHealthWatch(expected, { rules, nowMs: 0 });
  const look = (sample: HealthSample): void => void (now = judgeHealth(now, sample).watch);
  assertEquals(untilNextLookMs(now, 0), 500);

  look({ atMs: 0, containers: [web], details: [ofWeb] });
  assertEquals([0, 100, 500.5, 990].map((at) => untilNextLookMs(now, at)), [500, 500, 500, 10]);
  // What has settled alone is waited for no longer.
  assertEquals(untilNextLookMs(now, 1_000), 500);

  look({ atMs: 510, containers: [web, db], details: [ofWeb, ofDb] });
  assertEquals([600, 1_020.2, 1_510].map((at) => untilNextLookMs(now, at)), [500, 490, 500]);
});

Deno.test("field: a service that the kernel killed for its memory is told from one that was just killed", () => {
  const killed = container({ state: "exited", exitCode: 137 });
  const says = (oomKilled: boolean): readonly string[] =>
    watch([service()], [[0, [killed], [detail({ state: "exited", exitCode: 137, oomKilled })]]]);
  assertEquals(says(true), ["unhealthy: web exited with 137 (out of memory)"]);
  assertEquals(says(false), ["unhealthy: web exited with 137"]);
  const asked = startHealthWatch([service()], { rules: RULES, nowMs: 0 });
  assertEquals(containersToInspect(asked, [killed]), [killed.id]);
});

Deno.test("field: whose log tells why a dependency failed: unhealthy, crashed, or restarting", () => {
  const rows = [
    [container({ health: "unhealthy" }), true],
    [container({ state: "exited", exitCode: 1 }), true],
    [container({ state: "restarting" }), true],
    [container({ state: "exited", exitCode: 0 }), false],
    [container({ state: "created" }), false],
    [container({ state: "exited", exitCode: 1, oneoff: true }), false],
  ] as const;
  assertEquals(rows.map(([each]) => hasFailed(each)), rows.map(([, right]) => right));
});
