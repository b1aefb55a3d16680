/**
 * What people and accidents do to running containers, and what releases do to services: each tick
 * brings back exactly what differs, reports it, and the next one finds nothing to do.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box, EngineContainer } from "../../scripts/box/box.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { isQuiet } from "../../scripts/matrix/converge.ts";
import { compose, engine, runInside, startStranger } from "../../scripts/matrix/hands.ts";
import { lookAtServices } from "../../scripts/matrix/look.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { onBox } from "../support/boxes.ts";

const STAYS = `image: lab/bb:1
    init: true
    command: ["sleep", "3600"]
    stop_grace_period: 1s`;

function bundle(revision: string, more = ""): BundleFiles {
  return {
    "docker-compose.yml": `services:
  web:
    ${STAYS}
    environment: ["REVISION=${revision}"]
  guarded:
    image: lab/bb:1
    init: true
    command: ["sleep", "3600"]
    stop_grace_period: 1s
    depends_on: {job: {condition: service_completed_successfully}}
    healthcheck: {test: ["CMD", "test", "!", "-e", "/broken"], interval: 1s, retries: 1}
  job:
    image: lab/bb:1
    command: ["true"]
${more}`,
  };
}

async function apply(box: Box, files: BundleFiles): Promise<void> {
  await box.tenancy.publish(box.env, files);
  const run = await box.tick();
  assertEquals(run.code, 0, run.stderr);
  assertEquals(box.tenancy.record.reports.at(-1)?.result, "applied");
  await assertQuiet(box);
}

async function assertQuiet(box: Box): Promise<void> {
  const run = await box.tick();
  const did = { ...run.requests, children: run.children, writes: run.writes };
  assert(isQuiet(run), `the box has not converged: ${JSON.stringify(did)}\n${run.stderr}`);
}

/** `web running` and so on, sorted; one-offs and strangers too. */
async function states(box: Box): Promise<readonly string[]> {
  const state = ({ Labels, State }: EngineContainer): string =>
    `${Labels["com.docker.compose.service"]} ${State}`;
  return (await box.containers()).map(state).sort();
}

interface Drift {
  readonly name: string;
  readonly by: (box: Box, id: string) => Promise<unknown>;
  readonly service?: "guarded";
  readonly container: "the same, not restarted" | "the same, restarted" | "another";
}

const DRIFTS: readonly Drift[] = [
  {
    name: "stopped",
    by: (box, id) => engine(box, "POST", `/containers/${id}/stop?t=1`),
    container: "the same, restarted",
  },
  {
    name: "killed",
    by: (box, id) => engine(box, "POST", `/containers/${id}/kill`),
    container: "the same, restarted",
  },
  {
    name: "paused",
    by: (box, id) => engine(box, "POST", `/containers/${id}/pause`),
    container: "the same, not restarted",
  },
  {
    name: "removed",
    by: (box, id) => engine(box, "DELETE", `/containers/${id}?force=1`),
    container: "another",
  },
  {
    name: "unhealthy",
    service: "guarded",
    by: async (box, id) => {
      await runInside(box, id, ["touch", "/broken"]);
      await waitFor("unhealthy", 60_000, async () => {
        const found = (await box.containers()).find((each) => each.Id === id);
        return found?.Status.includes("(unhealthy)") === true ? true : null;
      });
    },
    container: "another",
  },
];

Deno.test("a container that drifted is repaired and reported, and nothing else is touched", async (t) => {
  await onBox(async (box) => {
    await box.reveal();
    await apply(box, bundle("1"));
    for (const { name, by, service = "web", container } of DRIFTS) {
      await t.step(`${name}: ${container}`, async () => {
        const before = await lookAtServices(box);
        await by(box, before[service]?.id ?? "");
        const run = await box.tick();
        assertEquals(run.code, 0, run.stderr);
        const after = await lookAtServices(box);
        const [one, other] = [before[service], after[service]];
        assertEquals(other?.state, "running");
        assertEquals(other?.id === one?.id, container !== "another");
        assertEquals(other?.startedAt === one?.startedAt, container === "the same, not restarted");
        const { [service]: _before, ...rest } = before;
        const { [service]: _after, ...restAfter } = after;
        assertEquals(
          restAfter,
          rest,
          "another service was touched, or a finished one-shot run again",
        );
        const report = box.tenancy.record.reports.at(-1);
        const named = report?.services.map((each) => `${each.name} ${each.state}`);
        assertEquals(report?.result, "repaired");
        assertEquals(named, ["guarded running", "job exited", "web running"]);
        await assertQuiet(box);
      });
    }
    assertEquals(box.tenancy.record.violations, []);
  }, { config: { settle_s: 0 } });
});

Deno.test("a service that keeps stopping is repaired five times in 300 s, then reported as FLAPPING", async () => {
  await onBox(async (box) => {
    await box.reveal();
    const files = bundle("1");
    const speaks = `["sh", "-c", "echo nobody needs me; exec sleep 3600"]`;
    const compose = String(files["docker-compose.yml"]).replace(`["sleep", "3600"]`, speaks);
    await apply(box, { ...files, "docker-compose.yml": compose });
    box.tenancy.record.clear();
    const results: string[] = [];
    for (let round = 1; round <= 6; round++) {
      const { web } = await lookAtServices(box);
      await engine(box, "POST", `/containers/${web?.id}/kill`);
      await box.tick();
      const report = box.tenancy.record.reports.at(-1);
      results.push(report?.code ?? report?.result ?? "none");
    }
    const repaired = Array.from({ length: 5 }, () => "repaired");
    assertEquals(results, [...repaired, "FLAPPING"]);
    const { failed, repairs } = JSON.parse(await Deno.readTextFile(`${box.stateDir}/state.json`));
    const until = new Date(repairs[0] + 300_001).toISOString();
    assertEquals(new Date(failed.nextAttemptAt).toISOString(), until);
    const forced = await box.tick(["--now"]);
    assertStringIncludes(forced.stderr, `repairs pause until ${until}`);
    assertStringIncludes((await box.run(["status"])).stdout, "nobody needs me");
    await assertQuiet(box);
    assertEquals(box.tenancy.record.checkins.at(-1)?.failed?.code, "FLAPPING");
    await apply(box, bundle("2"));
    assertEquals((await lookAtServices(box))["web"]?.state, "running");
  }, { config: { settle_s: 0 } });
});

Deno.test("case 40: scaled by hand is put right, an orphan removed; running one-off containers and other projects stay", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await apply(box, bundle("1"));
    const other = await startStranger(box, { "com.docker.compose.project": `${box.project}-2` });
    try {
      await compose(box, ["up", "-d", "--no-recreate", "--scale", "web=3", "web"]);
      assertEquals((await states(box)).filter((each) => each === "web running").length, 3);
      const run = await box.tick();
      assertEquals(run.code, 0, run.stderr);
      assertEquals(await states(box), ["guarded running", "job exited", "web running"]);
      await assertQuiet(box);

      await compose(box, ["run", "-d", "--no-deps", "web", "sleep", "3600"]);
      await compose(box, ["run", "-d", "--no-deps", "web", "false"]);
      await assertQuiet(box);
      await startStranger(box, {
        "com.docker.compose.project": box.project,
        "com.docker.compose.service": "dropped",
        "com.docker.compose.oneoff": "False",
        "com.docker.compose.container-number": "1",
        "com.docker.compose.config-hash": "0",
      });
      const orphan = await box.tick();
      assertEquals(orphan.code, 0, orphan.stderr);
      assertEquals(box.tenancy.record.reports.at(-1)?.result, "applied");
      const now = await states(box);
      assert(!now.includes("dropped running"), "an orphan was left");
      // A one-off that has ended is an orphan to newer composes, and an apply removes it there.
      assertEquals(
        now.filter((each) => each === "web running").length,
        2,
        "a running one-off was removed",
      );
      await assertQuiet(box);
      const checkin = box.tenancy.record.checkins.at(-1);
      assertEquals(checkin?.services.map((each) => each.name), ["guarded", "job", "web"]);
      const text = await engine(box, "GET", `/containers/${other}/json`);
      const stands = JSON.parse(text) as { readonly State: { readonly Running: boolean } };
      assert(stands.State.Running, "a container of another project was touched");
    } finally {
      await engine(box, "DELETE", `/containers/${other}?force=1`);
    }
  }, { config: { settle_s: 0 } });
});

Deno.test("releases that rename, drop, scale and disable services leave what they ask for", async (t) => {
  const extra = (name: string, more = ""): string => `  ${name}:\n    ${STAYS}\n${more}`;
  const base = ["guarded running", "job exited", "web running"];
  const rows: readonly (readonly [string, BundleFiles, readonly string[]])[] = [
    ["a service more", bundle("1", extra("old")), [...base, "old running"]],
    ["renamed", bundle("1", extra("new")), [...base, "new running"]],
    ["two replicas", bundle("1", extra("new", "    scale: 2\n")), [
      ...base,
      "new running",
      "new running",
    ]],
    ["one again", bundle("1", extra("new")), [...base, "new running"]],
    ["no replicas", bundle("1", extra("new", "    scale: 0\n")), base],
    ["back", bundle("1", extra("new")), [...base, "new running"]],
    // No orphan for compose (facts: docker §7), so it stays as it is, and is no drift.
    ["disabled by a profile", bundle("1", extra("new", "    profiles: [ops]\n")), [
      ...base,
      "new running",
    ]],
    ["enabled again", bundle("1", extra("new")), [...base, "new running"]],
    ["dropped", bundle("1"), base],
  ];
  await onBox(async (box) => {
    await box.reveal();
    await apply(box, bundle("1"));
    const { web } = await lookAtServices(box);
    for (const [name, files, wanted] of rows) {
      await t.step(name, async () => {
        await apply(box, files);
        assertEquals(await states(box), [...wanted].sort());
      });
    }
    assertEquals((await lookAtServices(box))["web"]?.startedAt, web?.startedAt);
  }, { config: { settle_s: 0 } });
});
