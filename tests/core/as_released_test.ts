import { assertEquals } from "@std/assert";
import { compareReleased, takeReleased } from "../../src/core/as_released.ts";
import type { Container } from "../../src/model/containers.ts";
import { caseFile, container, containersOfPs, model, service } from "../fakes/docker_values.ts";

const MIGRATE = container({ service: "migrate", state: "exited", exitCode: 0 });
const MODEL = model([service({ name: "migrate" }), service()]);
const RELEASED = takeReleased([MIGRATE, container()], MODEL);

/** Compares and tells the drifts as short texts; "same" when there are none. */
function compare(containers: readonly Container[], released = RELEASED): string {
  const comparison = compareReleased(released, containers);
  if (comparison.same) return "same";
  return comparison.services.map((each) => `${each.service} ${each.why}`).join("; ");
}

Deno.test("takeReleased() keeps counts, hashes, image ids and finished one-shots of the file's services", () => {
  const orphan = container({ service: "orphan" });
  const oneoff = container({ id: "run", oneoff: true, configHash: "other" });
  const wanted = model([
    service({ name: "migrate" }),
    service(),
    service({ name: "off", replicas: 0 }),
  ]);
  assertEquals(takeReleased([orphan, oneoff, MIGRATE, container()], wanted), {
    migrate: { count: 1, configHashes: ["h1"], imageIds: ["sha256:aa"], oneShot: true },
    web: { count: 1, configHashes: ["h1"], imageIds: ["sha256:aa"], oneShot: false },
    orphan: { count: 0, configHashes: [], imageIds: [], oneShot: false },
  });
});

Deno.test("a service that came after the release is an orphan, one that was there before is not", () => {
  const orphan = container({ id: "o", service: "orphan" });
  assertEquals(compare([MIGRATE, container(), orphan]), "orphan orphan");
  const released = takeReleased([MIGRATE, container(), orphan], MODEL);
  assertEquals(compare([MIGRATE, container(), orphan], released), "same");
  assertEquals(compare([MIGRATE, container()], released), "same");
});

Deno.test("a one-shot that still ran is one by its policy, or when others wait for its end", () => {
  const running = container({ service: "job" });
  const waits = [{ service: "job", condition: "service_completed_successfully", required: true }];
  const ports = [{ published: null, target: 80, protocol: "tcp", hostIp: null }];
  const times = { intervalMs: 1, timeoutMs: 1, startPeriodMs: 0, startIntervalMs: 1 };
  const healthcheck = { ...times, retries: 1 };
  const table = [
    { job: service({ name: "job", restart: "on-failure" }), web: service(), oneShot: true },
    { job: service({ name: "job" }), web: service({ dependsOn: waits }), oneShot: true },
    { job: service({ name: "job" }), web: service(), oneShot: false },
    { job: service({ name: "job", mayEnd: true }), web: service(), oneShot: true },
    { job: service({ name: "job", mayEnd: true, ports }), web: service(), oneShot: false },
    { job: service({ name: "job", mayEnd: true, healthcheck }), web: service(), oneShot: false },
    { job: service({ name: "job", restart: "always" }), web: service(), oneShot: false },
  ];
  for (const { job, web, oneShot } of table) {
    const released = takeReleased([running, container()], model([job, web]));
    assertEquals(released["job"]?.oneShot, oneShot);
  }
});

Deno.test("a release that runs as it was released is the same, in any order and with any names", () => {
  assertEquals(compare([container(), MIGRATE]), "same");
  assertEquals(compare([MIGRATE, container({ id: "new", name: "0123456789ab_p-web-1" })]), "same");
  assertEquals(compare([MIGRATE, container({ health: "starting" })]), "same");
});

Deno.test("every way in which a service can differ has its own name", () => {
  const table: readonly [Partial<Container>, string][] = [
    [{ state: "exited", exitCode: 0 }, "web stopped"],
    [{ state: "exited", exitCode: 137 }, "web stopped"],
    [{ state: "created" }, "web never started"],
    [{ state: "restarting", exitCode: 3 }, "web restarting"],
    [{ state: "paused" }, "web paused"],
    [{ state: "dead" }, "web dead"],
    [{ state: "removing" }, "web being removed"],
    [{ state: "odd" }, "web unknown state"],
    [{ health: "unhealthy" }, "web unhealthy"],
    [{ configHash: "h2" }, "web changed config"],
    [{ imageId: "sha256:bb" }, "web changed image"],
  ];
  for (const [change, drift] of table) assertEquals(compare([MIGRATE, container(change)]), drift);
  assertEquals(compare([MIGRATE]), "web missing");
  assertEquals(compare([]), "migrate missing; web missing");
});

Deno.test("counts: one too few is missing, one too many is extra", () => {
  const released = takeReleased(
    [container(), container({ id: "2" })],
    model([service({ replicas: 2 })]),
  );
  assertEquals(compare([container()], released), "web missing");
  assertEquals(compare([container({ id: "1" }), container({ id: "3" })], released), "same");
  const three = ["1", "2", "3"].map((id) => container({ id }));
  assertEquals(compare(three, released), "web extra");
});

Deno.test("case 21: a finished one-shot is as released; one that failed since is not", () => {
  assertEquals(compare([MIGRATE, container()]), "same");
  assertEquals(compare([{ ...MIGRATE, exitCode: 1 }, container()]), "migrate stopped");
});

Deno.test("case 21: pruning finished one-shots away does not run them again", () => {
  assertEquals(compare([container()]), "same");
  assertEquals(compare([container({ state: "exited", exitCode: 0 })]), "web stopped");
});

Deno.test("case 32: the two halves of an interrupted recreate belong to the one service", () => {
  const containers = containersOfPs(
    caseFile("32-killed-in-the-middle-of-up/ps-a-after-kill.ndjson"),
  );
  const released = takeReleased([container()], model([service()]));
  assertEquals(compare(containers, released), "web never started");
  const bothRun = containers.map((each): Container => ({ ...each, state: "running" }));
  assertEquals(compare(bothRun, released), "web extra");
});

Deno.test("case 40: one-off containers, and leftovers that compose keeps, are no drift", () => {
  const listed = containersOfPs(caseFile("40-drift-loop/ps-a.ndjson"));
  const leftover = container({ service: "was-in-a-profile", state: "exited", exitCode: 1 });
  const containers = [...listed, leftover];
  const released = takeReleased(containers, model([service({ name: "a" })]));
  assertEquals(compare(containers, released), "same");
});

Deno.test("services may be called like members of every object", () => {
  const names = ["__proto__", "constructor", "toString"];
  const services = names.map((name) => service({ name }));
  const containers = names.map((name) => container({ service: name }));
  const released = takeReleased(containers, model(services));
  assertEquals(Object.keys(released).sort(), [...names].sort());
  const kept = JSON.parse(JSON.stringify(released));
  assertEquals(compare(containers, kept), "same");
  assertEquals(compare(containers.slice(1), kept), "__proto__ missing");
});
