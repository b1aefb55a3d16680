/**
 * Desired absent: everything of the project goes by its labels alone, whatever became of the files,
 * volumes as the config says, and nothing of anybody else's.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { isQuiet } from "../../scripts/matrix/converge.ts";
import { compose, engine, startStranger } from "../../scripts/matrix/hands.ts";
import { leftovers, lookAtServices } from "../../scripts/matrix/look.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { onBox } from "../support/boxes.ts";

const BUNDLE: BundleFiles = {
  "docker-compose.yml": `services:
  web:
    image: lab/bb:1
    init: true
    command: ["sh", "-c", "echo precious > /data/file; sleep 3600"]
    stop_grace_period: 1s
    volumes: ["data:/data"]
  job:
    image: lab/bb:1
    command: ["true"]
volumes: {data: {}}
`,
};

async function namesOf(box: Box, what: "networks" | "volumes"): Promise<readonly string[]> {
  const filters = JSON.stringify({ label: [`com.docker.compose.project=${box.project}`] });
  const text = await engine(box, "GET", `/${what}?filters=${encodeURIComponent(filters)}`);
  const parsed = JSON.parse(text) as
    | readonly { readonly Name: string }[]
    | { readonly Volumes: readonly { readonly Name: string }[] | null };
  const list = "Volumes" in parsed ? parsed.Volumes ?? [] : parsed;
  return list.map((each) => each.Name);
}

/** Applies the bundle, makes it undesired, and gives its sha. */
async function undesire(box: Box): Promise<string> {
  await box.reveal();
  const { sha } = await box.tenancy.publish(box.env, BUNDLE);
  const run = await box.tick();
  assertEquals(run.code, 0, run.stderr);
  box.tenancy.record.clear();
  await box.tenancy.setAbsent(box.env);
  return sha;
}

/** One tick removes; the next ones have nothing to do. */
async function assertRemoved(box: Box, sha: string): Promise<void> {
  const run = await box.tick();
  assertEquals(run.code, 0, run.stderr);
  assertEquals(await box.containers(), []);
  assertEquals(await namesOf(box, "networks"), []);
  const reports = box.tenancy.record.reports.map((each) => [each.result, each.sha]);
  assertEquals(reports, [["removed", sha]]);
  for (let twice = 0; twice < 2; twice++) {
    const next = await box.tick();
    assert(isQuiet(next), next.stderr);
  }
  assertEquals(box.tenancy.record.reports.length, 1);
  assertEquals([leftovers(box), box.tenancy.record.violations], [[], []]);
  const checkin = box.tenancy.record.checkins.at(-1);
  assertEquals([checkin?.applied, checkin?.services], [null, []]);
}

interface Row {
  readonly name: string;
  readonly before: (box: Box) => Promise<unknown>;
}

const ROWS: readonly Row[] = [
  { name: "as it runs", before: () => Promise.resolve() },
  {
    name: "deploy_dir deleted by hand",
    before: (box) => Deno.remove(box.deployDir, { recursive: true }),
  },
  {
    name: "a compose file on disk that is broken",
    before: async (box) => {
      for (const name of ["docker-compose.yml", ".env"]) {
        await Deno.writeTextFile(`${box.deployDir}/project/${name}`, "a: [\n");
      }
    },
  },
  {
    name: "a container that is paused",
    before: async (box) => {
      const { web } = await lookAtServices(box);
      await engine(box, "POST", `/containers/${web?.id}/pause`);
    },
  },
  {
    name: "orphans and one-off containers beside it",
    before: async (box) => {
      await compose(box, ["run", "-d", "--no-deps", "web", "sleep", "3600"]);
      await startStranger(box, {
        "com.docker.compose.project": box.project,
        "com.docker.compose.service": "orphan",
        "com.docker.compose.oneoff": "False",
        "com.docker.compose.container-number": "1",
        "com.docker.compose.config-hash": "0",
      });
    },
  },
  {
    name: "a network that was removed already",
    before: async (box) => {
      for (const { Id } of await box.containers()) {
        await engine(box, "DELETE", `/containers/${Id}?force=1`);
      }
      for (const name of await namesOf(box, "networks")) {
        await engine(box, "DELETE", `/networks/${name}`);
      }
    },
  },
];

Deno.test("absent removes containers and networks once, keeps volumes, and then does nothing", async (t) => {
  for (const { name, before } of ROWS) {
    await t.step(name, async () => {
      await onBox(async (box) => {
        const sha = await undesire(box);
        const other = await startStranger(box, { "com.docker.compose.project": `${box.project}2` });
        try {
          await before(box);
          await assertRemoved(box, sha);
          assertEquals(await namesOf(box, "volumes"), [`${box.project}_data`]);
          const text = await engine(box, "GET", `/containers/${other}/json`);
          assertStringIncludes(text, '"Running":true');
        } finally {
          await engine(box, "DELETE", `/containers/${other}?force=1`);
        }
      }, { config: { settle_s: 0 } });
    });
  }
});

Deno.test("case 38: volumes go only when volumes_on_absent says so", async () => {
  await onBox(async (box) => {
    const sha = await undesire(box);
    await assertRemoved(box, sha);
    assertEquals(await namesOf(box, "volumes"), []);
  }, { config: { settle_s: 0, volumes_on_absent: "remove" } });
});

Deno.test("absent on a box that lost its state removes what the labels tell, and back again works", async () => {
  await onBox(async (box) => {
    const sha = await undesire(box);
    await Deno.remove(`${box.stateDir}/state.json`);
    await Deno.remove(box.deployDir, { recursive: true });
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    assertEquals(await box.containers(), []);
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["removed"]);
    assert(isQuiet(await box.tick()), "a second tick had something to do");
    await box.tenancy.setDesired(box.env, sha);
    assertEquals((await box.tick()).code, 0);
    assertEquals((await lookAtServices(box))["web"]?.state, "running");
  }, { config: { settle_s: 0 } });
});

Deno.test("a network that others still use is REMOVE_FAILED by name, tried each tick, reported once, then gone", async () => {
  await onBox(async (box) => {
    const sha = await undesire(box);
    const guest = await startStranger(box, {});
    try {
      const [network] = await namesOf(box, "networks");
      await engine(box, "POST", `/networks/${network}/connect`, { Container: guest });
      const run = await box.tick();
      assertEquals(run.code, 1, run.stderr);
      assertStringIncludes(run.stderr, "REMOVE_FAILED");
      assertStringIncludes(run.stderr, network ?? "a network");
      const report = box.tenancy.record.reports.at(-1);
      assertEquals([report?.result, report?.code, report?.sha], ["failed", "REMOVE_FAILED", sha]);
      const again = await box.tick();
      assertEquals([again.code, box.tenancy.record.reports.length], [1, 1], again.stderr);
    } finally {
      await engine(box, "DELETE", `/containers/${guest}?force=1`);
    }
    assertEquals((await box.tick()).code, 0);
    assertEquals(await namesOf(box, "networks"), []);
    assertEquals(box.tenancy.record.reports.map((each) => each.result), ["failed", "removed"]);
    assert(isQuiet(await box.tick()), "a second tick had something to do");
  }, { config: { settle_s: 0 } });
});
