import { assertEquals } from "@std/assert";
import type { DriftReason } from "../../src/core/as_released.ts";
import {
  imagesOfRepair,
  includeTied,
  leftStopped,
  misnamedServices,
  namesToFree,
  planRepair,
  stuckServices,
  suspectContainers,
} from "../../src/core/repair.ts";
import type { Released } from "../../src/model/containers.ts";
import { container, model, service } from "../fakes/docker_values.ts";

const NOW = 1_800_000_000_000;
const CALM = { repairs: [], now: NOW };

/** Gives drifts of services named after their place, each with one container. */
function drifts(...reasons: readonly DriftReason[]): Parameters<typeof planRepair>[0] {
  return reasons.map((why, at) => ({ service: `s${at}`, why, containerIds: [`c${at}`] }));
}

Deno.test("each difference gets the gentlest action that helps", () => {
  const repair = (
    change: { unpause?: string[]; start?: string[]; recreate?: string[] },
  ): ReturnType<typeof planRepair> => ({
    kind: "repair",
    unpause: [],
    start: [],
    recreate: [],
    ...change,
  });
  const table: readonly [DriftReason, ReturnType<typeof planRepair>][] = [
    ["missing", repair({ start: ["s0"] })],
    ["stopped", repair({ start: ["s0"] })],
    ["never started", repair({ start: ["s0"] })],
    ["extra", repair({ start: ["s0"] })],
    ["changed config", repair({ start: ["s0"] })],
    ["unhealthy", repair({ recreate: ["s0"] })],
    ["dead", repair({ recreate: ["s0"] })],
    ["unknown state", repair({ recreate: ["s0"] })],
    ["paused", repair({ unpause: ["c0"] })],
    ["restarting", { kind: "none" }],
    ["being removed", { kind: "none" }],
    ["changed image", { kind: "apply" }],
  ];
  for (const [why, plan] of table) assertEquals(planRepair(drifts(why), CALM), plan);
});

Deno.test("a repair names exactly the services that differ, and leaves the Engine's own work alone", () => {
  const plan = planRepair(drifts("unhealthy", "stopped", "restarting", "paused", "missing"), CALM);
  assertEquals(plan, {
    kind: "repair",
    unpause: ["c3"],
    start: ["s1", "s4"],
    recreate: ["s0"],
  });
});

Deno.test("nothing differs: nothing to repair, flapping or not", () => {
  const worn = { repairs: Array.from({ length: 9 }, () => NOW), now: NOW };
  assertEquals(planRepair([], worn), { kind: "none" });
  assertEquals(planRepair(drifts("restarting"), worn), { kind: "none" });
});

Deno.test("five repairs in 300 s are the limit, not a sixth", () => {
  const kindAfter = (agoMs: readonly number[]): string =>
    planRepair(drifts("stopped"), { repairs: agoMs.map((ago) => NOW - ago), now: NOW }).kind;
  assertEquals(kindAfter([0, 1, 2, 3]), "repair");
  assertEquals(kindAfter([0, 1, 2, 3, 4]), "flapping");
  assertEquals(kindAfter([0, 1, 2, 3, 300_000]), "flapping");
  assertEquals(kindAfter([0, 1, 2, 3, 300_001]), "repair");
});

Deno.test("a pause of repairs ends at the moment at which a repair is made again", () => {
  const repairs = [290_000, 200_000, 40_000, 299_000, 5_000, 0].map((ago) => NOW - ago);
  const plan = planRepair(drifts("stopped"), { repairs, now: NOW });
  assertEquals(plan, { kind: "flapping", until: NOW + 10_001 });
  const later = (now: number): string => planRepair(drifts("stopped"), { repairs, now }).kind;
  assertEquals([later(NOW + 10_000), later(NOW + 10_001)], ["flapping", "repair"]);
});

Deno.test("repairs that a jumped clock put into the future hold nobody up", () => {
  const repairs = Array.from({ length: 5 }, (_, at) => NOW + 86_400_000 + at);
  assertEquals(planRepair(drifts("stopped"), { repairs, now: NOW }).kind, "repair");
});

Deno.test("services that hold a repaired service's container are recreated with it", () => {
  const files = model([
    service({ name: "s0" }),
    service({ name: "sidecar", tiedTo: ["s0"] }),
    service({ name: "third", tiedTo: ["sidecar"] }),
    service({ name: "off", tiedTo: ["s0"], replicas: 0 }),
    service({ name: "other", tiedTo: ["db"] }),
  ]);
  const recreateAfter = (why: DriftReason): readonly string[] => {
    const plan = includeTied(planRepair(drifts(why), CALM), files);
    return plan.kind === "repair" ? plan.recreate : [];
  };
  assertEquals(recreateAfter("stopped"), ["sidecar", "third"]);
  assertEquals(recreateAfter("unhealthy"), ["s0", "sidecar", "third"]);
  assertEquals(recreateAfter("paused"), []);
  assertEquals(includeTied({ kind: "none" }, files), { kind: "none" });
});

Deno.test("what was no good before an up is stuck when the same container is no good after it", () => {
  const bad = container({ id: "1", service: "bad", health: "unhealthy" });
  const dead = container({ id: "2", service: "dead", state: "dead" });
  const paused = container({ id: "3", service: "paused", state: "paused", health: "healthy" });
  const good = container({ id: "4", service: "good", health: "healthy" });
  const job = container({ id: "5", service: "job", state: "dead", oneoff: true });
  const suspects = suspectContainers([bad, dead, paused, good, job]);
  assertEquals(suspects.map((each) => each.service), ["bad", "dead", "paused"]);
  const unpaused = container({ id: "3", service: "paused", health: "unhealthy" });
  assertEquals(stuckServices(suspects, [bad, unpaused, dead]), ["bad", "dead", "paused"]);
  // Replaced, mended, or unhealthy for the first time: health judges those.
  const replaced = container({ id: "9", service: "bad", health: "unhealthy" });
  const worse = container({ id: "4", service: "good", health: "unhealthy" });
  assertEquals(stuckServices(suspects, [replaced, worse, paused]), []);
});

Deno.test("field: a container that a missed rename left under a provisional name is known by it", () => {
  const named = (service: string, name: string): ReturnType<typeof container> =>
    container({ id: name, service, name });
  const files = model([
    service({ name: "web" }),
    service({ name: "db", containerName: "0123456789ab_db" }),
    service({ name: "api" }),
  ]);
  const after = [
    named("web", "0123456789ab_monky-web-1"),
    named("db", "0123456789ab_db"),
    named("api", "monky-api-1"),
    named("gone", "0123456789ab_monky-gone-1"),
    { ...named("api", "0123456789ab_monky-api-run"), oneoff: true },
  ];
  assertEquals(misnamedServices(after, files), ["web"]);
});

Deno.test("field: a name that goes from one service to another is freed before up", () => {
  const named = (service: string, name: string): ReturnType<typeof container> =>
    container({ id: `${service}-0123456789abcdef`, service, name });
  const before = [named("a", "x"), named("b", "y"), named("c", "z"), named("gone", "w")];
  const files = model([
    service({ name: "a", containerName: "y" }),
    service({ name: "b", containerName: "x" }),
    service({ name: "c", containerName: "z" }),
    service({ name: "off", containerName: "z", replicas: 0 }),
    service({ name: "new", containerName: "w" }),
    service({ name: "plain" }),
  ]);
  assertEquals(namesToFree(before, files), [
    { id: "a-0123456789abcdef", name: "a-0123456789_was_x" },
    { id: "b-0123456789abcdef", name: "b-0123456789_was_y" },
    { id: "gone-0123456789abcdef", name: "gone-0123456_was_w" },
  ]);
});

Deno.test("field: what an up without its network has left stopped is known by its container", () => {
  const before = ["a", "b", "c", "d"].map((service) => container({ id: service, service }));
  const after = [
    container({ id: "a", service: "a", state: "exited", exitCode: 143 }),
    container({ id: "b", service: "b", state: "created" }),
    container({ id: "c", service: "c" }),
    container({ id: "new", service: "d", state: "created" }),
    container({ id: "d", service: "d", state: "exited", oneoff: true }),
  ];
  assertEquals(leftStopped(before, after), ["a", "b"]);
});

Deno.test("field: a repair needs the images of the containers that it makes", () => {
  const released = (id: string): Released[string] => ({
    count: 1,
    configHashes: [],
    imageIds: [id],
    oneShot: false,
  });
  const plan = { kind: "repair", unpause: ["x"], start: ["web"], recreate: ["db"] } as const;
  const all = { web: released("sha256:w"), db: released("sha256:d"), job: released("sha256:j") };
  assertEquals(imagesOfRepair(plan, all), ["sha256:d", "sha256:w"]);
  assertEquals(imagesOfRepair({ kind: "none" }, all), []);
});
