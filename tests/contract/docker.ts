/**
 * What the agent relies on in the Docker Engine and in compose, as a list that the real ones and the
 * stand-ins both pass (facts: docker §1, §7, §9, §11). Each check has a project of its own.
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { compareReleased, takeReleased } from "../../src/core/as_released.ts";
import { configArgs, downArgs, pullArgs, repairArgs, upArgs } from "../../src/core/compose_argv.ts";
import { ownLoopback } from "../support/loopback.ts";
import type { Bench } from "./docker_setup.ts";

/** One thing that holds. */
export interface Check {
  readonly name: string;
  run(bench: Bench): Promise<void>;
}

const WEB = "services: {web: {image: 'lab/bb:1'}}";
const DOWN = { stopTimeoutS: 0, volumes: true };

function check(name: string, run: (bench: Bench) => Promise<void>): Check {
  return { name, run };
}

/** The list. */
export const CONTRACT: readonly Check[] = [
  check("a project that nobody made has no containers", async ({ docker, project }) => {
    assertEquals(await docker.list(project), []);
  }),

  check("up makes what list then shows", async (bench) => {
    await bench.succeed(upArgs(await bench.release(WEB)));
    const [web, ...others] = await bench.docker.list(bench.project);
    assertEquals(others, []);
    assertEquals(
      { ...web, id: "", configHash: "", imageId: "" },
      {
        id: "",
        name: `${bench.project}-web-1`,
        service: "web",
        state: "running",
        health: null,
        exitCode: null,
        image: "lab/bb:1",
        imageId: "",
        configHash: "",
        oneoff: false,
      },
    );
    assertMatch(web?.id ?? "", /^[0-9a-f]{64}$/);
    assertMatch(web?.configHash ?? "", /^[0-9a-f]{64}$/);
    assertMatch(web?.imageId ?? "", /^sha256:[0-9a-f]{64}$/);
  }),

  check("exit codes stand in the list, and one-shots run again on every up", async (bench) => {
    const target = await bench.release(`services:
  done: {image: "lab/bb:1", command: ["sh", "-c", "exit 0"]}
  bad: {image: "lab/bb:1", command: ["sh", "-c", "exit 3"]}`);
    await bench.succeed(upArgs(target));
    await until(async () => {
      const { done, bad } = await bench.byService();
      return done?.state === "exited" && bad?.state === "exited";
    });
    const { done, bad } = await bench.byService();
    assertEquals([done?.exitCode, bad?.exitCode], [0, 3]);
    const before = await bench.docker.inspect(done?.id ?? "");
    await bench.succeed(upArgs(target));
    const after = await bench.docker.inspect(done?.id ?? "");
    assertNotEquals(after?.startedAt, before?.startedAt);
  }),

  check("an up that changes nothing leaves containers as released", async (bench) => {
    const target = await bench.release(WEB);
    await bench.succeed(upArgs(target));
    const model = await resolve(bench);
    const released = takeReleased(await bench.docker.list(bench.project), model);
    const { web } = await bench.byService();
    await bench.succeed(upArgs(target));
    assertEquals((await bench.byService())["web"]?.id, web?.id);
    const now = await bench.docker.list(bench.project);
    assertEquals(compareReleased(released, now), { same: true });
  }),

  check("a value of .env recreates the services that use it, and no others", async (bench) => {
    const file = `services:
  uses: {image: "lab/bb:1", environment: {V: "\${V}"}}
  other: {image: "lab/bb:1"}`;
    await bench.succeed(upArgs(await bench.release(file, `V="1"\n`)));
    const before = await bench.byService();
    await bench.succeed(upArgs(await bench.release(file, `V="2"\n`)));
    const after = await bench.byService();
    assertNotEquals(after["uses"]?.id, before["uses"]?.id);
    assertNotEquals(after["uses"]?.configHash, before["uses"]?.configHash);
    assertEquals(after["other"], before["other"]);
  }),

  check("a stopped service starts again as the same container, others untouched", async (bench) => {
    const file = `services: {a: {image: "lab/bb:1"}, b: {image: "lab/bb:1"}}`;
    const target = await bench.release(file);
    await bench.succeed(upArgs(target));
    const { a, b } = await bench.byService();
    await bench.stop(a?.id ?? "");
    assertEquals((await bench.byService())["a"]?.state, "exited");
    const released = takeReleased([a, b].flatMap((each) => each ?? []), await resolve(bench));
    const comparison = compareReleased(released, await bench.docker.list(bench.project));
    assertEquals(comparison.same ? [] : comparison.services.map((each) => each.why), ["stopped"]);
    await bench.succeed(repairArgs(target, ["a"], { recreate: false }));
    const after = await bench.byService();
    assertEquals([after["a"]?.id, after["a"]?.state], [a?.id, "running"]);
    assertEquals(after["b"]?.id, b?.id);
  }),

  check("a removed service comes back; a recreated one is another container", async (bench) => {
    const target = await bench.release(WEB);
    await bench.succeed(upArgs(target));
    await bench.remove((await bench.byService())["web"]?.id ?? "");
    assertEquals(await bench.docker.list(bench.project), []);
    await bench.succeed(repairArgs(target, ["web"], { recreate: false }));
    const { web } = await bench.byService();
    await bench.succeed(repairArgs(target, ["web"], { recreate: true }));
    assertNotEquals((await bench.byService())["web"]?.id, web?.id);
  }),

  check("a paused service is not startable, and runs again once unpaused", async (bench) => {
    const target = await bench.release(WEB);
    await bench.succeed(upArgs(target));
    const id = (await bench.byService())["web"]?.id ?? "";
    await bench.pause(id);
    assertEquals((await bench.byService())["web"]?.state, "paused");
    const { code, last } = await bench.run(repairArgs(target, ["web"], { recreate: false }));
    assertEquals([code, /unpause/.test(last)], [1, true]);
    await bench.docker.unpause(id);
    assertEquals((await bench.byService())["web"]?.state, "running");
    await bench.docker.unpause(id);
    await bench.docker.unpause("0".repeat(64));
  }),

  check("a container gets another name, and one that is gone is no error", async (bench) => {
    await bench.succeed(upArgs(await bench.release(WEB)));
    const { id = "", name = "" } = (await bench.byService())["web"] ?? {};
    await bench.docker.rename(id, `${id.slice(0, 12)}_${name}`);
    assertEquals((await bench.byService())["web"]?.name, `${id.slice(0, 12)}_${name}`);
    await bench.docker.rename("0".repeat(64), name);
  }),

  check("health stands in the list, and a healthcheck's times in the detail", async (bench) => {
    const target = await bench.release(`services:
  web:
    image: "lab/bb:1"
    restart: unless-stopped
    healthcheck: {test: ["CMD", "true"], interval: 1s}`);
    await bench.succeed(upArgs(target));
    await until(async () => (await bench.byService())["web"]?.health === "healthy");
    const id = (await bench.byService())["web"]?.id ?? "";
    const detail = await bench.docker.inspect(id);
    assertEquals(detail?.health, "healthy");
    assertEquals(detail?.restartPolicy, "unless-stopped");
    assertEquals([detail?.restarts, detail?.exitCode, detail?.oomKilled], [0, 0, false]);
    assertEquals(detail?.healthcheck?.retries, 3);
    assert((detail?.startedAt ?? 0) > 0);
    const details = await bench.docker.inspectAll([id, "0".repeat(64), id]);
    assertEquals(details.map((each) => each.id), [id, id]);
    assertEquals(await bench.docker.inspect("0".repeat(64)), null);
  }),

  check("images are present, absent, or malformed and so absent", async ({ docker }) => {
    const found = await docker.images(["lab/bb:1", "lab/none:1", "Lab/BB:1"]);
    assertEquals([...found.keys()], ["lab/bb:1"]);
    assertMatch(found.get("lab/bb:1")?.id ?? "", /^sha256:[0-9a-f]{64}$/);
    assert((found.get("lab/bb:1")?.sizeBytes ?? 0) > 500_000);
    assertEquals(await docker.removeImage("lab/none:1"), "absent");
  }),

  check(
    "a missing image stops an up, a missing tag a pull, each by its own text",
    async (bench) => {
      const ref = `${bench.registry}/lab/none:1`;
      const target = await bench.release(`services: {web: {image: "${ref}"}}`);
      const started = await bench.run(upArgs(target));
      assertEquals([started.code, /[Nn]o such image: \S+$/.test(started.last)], [1, true]);
      const pulled = await bench.run(pullArgs(target));
      assertNotEquals(pulled.code, 0);
      assertMatch(pulled.last, /manifest for \S+ not found: manifest unknown/);
    },
  ),

  check("orphans go with the next up, replicas come and go", async (bench) => {
    const file = (replicas: number): string =>
      `services: {web: {image: "lab/bb:1", deploy: {replicas: ${replicas}}}}`;
    await bench.succeed(upArgs(await bench.release(`services: {old: {image: "lab/bb:1"}}`)));
    await bench.succeed(upArgs(await bench.release(file(2))));
    const two = await bench.docker.list(bench.project);
    assertEquals(two.map((each) => each.service), ["web", "web"]);
    await bench.succeed(upArgs(await bench.release(file(1))));
    assertEquals((await bench.docker.list(bench.project)).length, 1);
  }),

  check("config resolves the files, values and all", async (bench) => {
    await bench.release(
      `services:
  web: {image: "lab/bb:1", environment: {V: "\${V}", L: "a$$b"}, depends_on: [db], ports: ["127.0.0.1:18099:80"], volumes: ["./c:/c:ro"]}
  db: {image: "lab/bb:1", restart: always}
  off: {image: "lab/bb:1", profiles: [extra]}`,
      `V="x\\$y"\n`,
    );
    const model = await resolve(bench);
    assertEquals(model.services.map((each) => each.name), ["db", "web"]);
    const web = model.services[1];
    assertEquals(web?.dependsOn.map((each) => each.service), ["db"]);
    assertEquals(web?.ports, [{
      published: { first: 18099, last: 18099 },
      target: 80,
      protocol: "tcp",
      hostIp: "127.0.0.1",
    }]);
    assertEquals(web?.mounts, [{
      type: "bind",
      source: `${bench.dir}/c`,
      target: "/c",
      readOnly: true,
      createHostPath: true,
    }]);
    assertEquals([model.services[0]?.restart, model.services[0]?.replicas], ["always", 1]);
  }),

  check("networks are found by label and by name; down leaves nothing", async (bench) => {
    await bench.succeed(upArgs(await bench.release(WEB)));
    const network = `${bench.project}_default`;
    const made = await bench.docker.networks(bench.project);
    assertEquals(made.map((each) => each.name), [network]);
    assertEquals(await bench.docker.hasNetwork(network), true);
    await bench.succeed(downArgs(bench.project, DOWN));
    assertEquals(await bench.docker.list(bench.project), []);
    assertEquals(await bench.docker.networks(bench.project), []);
    assertEquals(await bench.docker.volumes(bench.project), []);
    assertEquals(await bench.docker.hasNetwork(network), false);
    assertEquals(await bench.docker.hasVolume(`${bench.project}_data`), false);
    await bench.succeed(downArgs(bench.project, DOWN));
  }),

  check("a held port names its project; an image in use is not removed", async (bench) => {
    const hostIp = ownLoopback();
    const target = await bench.release(
      `services: {web: {image: "lab/bb:1", ports: ["${hostIp}:18098:80"]}}`,
    );
    await bench.succeed(upArgs(target));
    const held = (await bench.docker.heldPorts()).filter((each) => each.hostIp === hostIp);
    assertEquals(held, [{
      port: 18098,
      protocol: "tcp",
      hostIp,
      project: bench.project,
      container: `${bench.project}-web-1`,
    }]);
    const imageId = (await bench.byService())["web"]?.imageId ?? "";
    assertEquals(await bench.docker.removeImage(imageId), "in use");
  }),

  check("the Engine tells its versions and its data root", async ({ docker }) => {
    const { version, apiVersion } = await docker.version();
    assertMatch(version, /^\d+\./);
    assertMatch(apiVersion, /^1\.\d+$/);
    assertMatch((await docker.engine()).dataRoot, /^\//);
  }),
];

async function resolve(bench: Bench): Promise<Parameters<typeof takeReleased>[1]> {
  const args = configArgs({
    project: bench.project,
    projectDir: bench.dir,
    file: `${bench.dir}/docker-compose.yml`,
    overrideFile: null,
    envFile: `${bench.dir}/.env.rendered`,
    profiles: [],
  });
  const result = await bench.compose.config(bench.call(args));
  if (!result.ok) throw new Error(`config ended with ${result.outcome.code}`);
  return result.model;
}

/** Waits until it holds; at most a minute. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error("it did not come to hold within a minute");
}
