import { assertEquals } from "@std/assert";
import {
  containersToInspect,
  type ExpectedService,
  type HealthVerdict,
  judgeHealth,
  startHealthWatch,
} from "../../src/core/health.ts";
import type { Container, ContainerDetail } from "../../src/model/containers.ts";
import { caseFile, container, containersOfPs, detail, service } from "../fakes/docker_values.ts";

const RULES = { timeoutMs: 120_000, settleMs: 5_000 };
const CHECK = { intervalMs: 1_000, timeoutMs: 1_000, retries: 2, startPeriodMs: 6_000 };

type Look = readonly [
  atS: number,
  containers: readonly Container[],
  details?: readonly ContainerDetail[],
];

/** Runs a watch over the looks; gives the verdicts as short texts. */
function watch(
  expected: readonly ExpectedService[],
  looks: readonly Look[],
  rules = RULES,
): readonly string[] {
  let going = startHealthWatch(expected, { rules, nowMs: 0 });
  return looks.map(([atS, containers, details = []]) => {
    const result = judgeHealth(going, { atMs: atS * 1000, containers, details });
    going = result.watch;
    return told(result.verdict);
  });
}

function told(verdict: HealthVerdict): string {
  switch (verdict.kind) {
    case "healthy":
      return "healthy";
    case "waiting":
      return `waiting: ${
        verdict.waitingFor.map((each) => `${each.service} ${each.cause}`).join("; ")
      }`;
    case "unhealthy":
      return `unhealthy: ${
        verdict.services.map((each) => `${each.service} ${each.cause}`).join("; ")
      }`;
  }
}

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
  const looks = Array.from({ length: 11 }, (_, at): Look => {
    const seen = at % 2 === 0 ? running : restarting;
    const state = at % 2 === 0 ? "running" : "restarting";
    return [at * 2, seen, [
      detail({ id: "id-0", state, restarts: at, exitCode: 0, startedAt: at }),
    ]];
  });
  const verdicts = watch(expected, looks);
  assertEquals(verdicts.slice(0, 10).some((verdict) => verdict === "healthy"), false);
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
      at(203.9, "starting"),
      at(204, "starting"),
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

Deno.test("an image's own healthcheck sets the deadline when the files name none", () => {
  const healthcheck = { ...CHECK, startPeriodMs: 300_000 };
  const seen = container({ health: "starting" });
  const expected = [service()];
  const looks: Look[] = [[0, [seen], [detail({ healthcheck })]], [200, [seen]], [304, [seen]]];
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

Deno.test("case 40: one-off containers and orphans count for nothing", () => {
  const containers = [
    ...containersOfPs(caseFile("40-drift-loop/ps-a.ndjson")),
    container({ service: "orphan", state: "exited", exitCode: 9 }),
  ];
  const details = [detail({ id: "id-0" })];
  const looks: Look[] = [[0, containers, details], [5, containers, details]];
  assertEquals(watch([service({ name: "a" })], looks).at(-1), "healthy");
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
