/** What makes the real compose recreate a service, and what does not (facts: docker §2, §3). */

import { assertEquals, assertNotEquals } from "@std/assert";
import { compareReleased, takeReleased } from "../../src/core/as_released.ts";
import {
  listMountedContent,
  renderLabelOverride,
  type VariableSource,
} from "../../src/core/changed_files.ts";
import { type ComposeTarget, repairArgs, upArgs } from "../../src/core/compose_argv.ts";
import { includeTied, planRepair } from "../../src/core/repair.ts";
import { caseFile } from "../fakes/docker_values.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { type RealBench, withBench } from "./docker_bench.ts";
import { resolve } from "./docker_watch.ts";

/** Runs a program in a service's container; gives what it printed. */
async function read(bench: RealBench, service: string, path: string): Promise<string> {
  const id = (await bench.byService())[service]?.id ?? "";
  const out = await new Deno.Command("docker", {
    args: ["-H", bench.lab.docker.host, "exec", id, "cat", path],
  }).output();
  return new TextDecoder().decode(out.stdout);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Writes the label override for what the services mount, as a release does; gives its target. */
async function labelled(
  bench: RealBench,
  target: ComposeTarget,
  facts: {
    readonly files?: Readonly<Record<string, string>>;
    readonly variables?: ReadonlyMap<string, VariableSource>;
    readonly contents?: ReadonlyMap<string, string>;
  },
): Promise<ComposeTarget> {
  const files = new Map<string, string>();
  for (const [path, text] of Object.entries(facts.files ?? {})) {
    // By rename, as a release writes it: a bind of the file keeps the old one until recreated.
    await Deno.rename(await bench.write(`${path}.new`, text), `${bench.dir}/${path}`);
    files.set(path, await sha256(text));
  }
  const listings = listMountedContent({
    model: await resolve(bench, target),
    projectDir: bench.dir,
    files,
    variables: facts.variables ?? new Map(),
    contents: facts.contents ?? new Map(),
  });
  const hashes = new Map<string, string>();
  for (const [service, listing] of listings) hashes.set(service, await sha256(listing));
  const override = renderLabelOverride(hashes);
  if (override === null) return target;
  return { ...target, overrideFile: await bench.write("override.yml", override) };
}

Deno.test("another release folder with the same content recreates nothing", async () => {
  await withBench(async (bench) => {
    const text = `services:
  web: {image: "lab/bb:1", environment: {V: "\${V}"}, volumes: ["./conf:/conf"]}
  job: {image: "lab/bb:1", command: ["sh", "-c", "exit 0"]}`;
    const first = await bench.release(text, `V="1"\n`);
    await bench.succeed(upArgs(first));
    // A release is taken once it is healthy: what is a one-shot has ended by then.
    await waitFor("the job's end", 60_000, async () => {
      return (await bench.byService())["job"]?.state === "exited" ? true : null;
    });
    const model = await resolve(bench, first);
    const released = takeReleased(await bench.docker.list(bench.project), model);
    await Deno.mkdir(`${bench.dir}/other`);
    const second = {
      ...first,
      file: await bench.write("other/docker-compose.yml", text),
      envFile: await bench.write("other/env", `# another file\nV="1"\n`),
      overrideFile: await bench.write("other/override.yml", "{}\n"),
    };
    const before = await bench.byService();
    await bench.succeed(upArgs(second));
    const after = await bench.docker.list(bench.project);
    assertEquals(compareReleased(released, after), { same: true });
    assertEquals((await bench.byService())["web"]?.id, before["web"]?.id);
  });
});

Deno.test("case 35: a changed secret file and inline content reach the container, once", async () => {
  await withBench(async (bench) => {
    const file = (content: string): string =>
      caseFile("35-changed-secret-file-not-picked-up/docker-compose.yml")
        .replaceAll("local/busybox:1", "lab/bb:1").replace('"v1"', `"${content}"`)
        .replace("services:", `services:\n  b: {image: "lab/bb:1"}`);
    const apply = async (secret: string, content: string): Promise<void> => {
      const facts = { files: { "s.txt": secret }, contents: new Map([["c", content]]) };
      await bench.write("s.txt", secret).catch(() => {});
      const target = await labelled(bench, await bench.release(file(content)), facts);
      await bench.succeed(upArgs(target));
    };
    await apply("one", "v1");
    const first = await bench.byService();
    assertEquals([await read(bench, "a", "/run/secrets/s"), await read(bench, "a", "/c.txt")], [
      "one",
      "v1",
    ]);
    await apply("one", "v1");
    assertEquals((await bench.byService())["a"]?.id, first["a"]?.id);
    await apply("two", "v2");
    assertEquals([await read(bench, "a", "/run/secrets/s"), await read(bench, "a", "/c.txt")], [
      "two",
      "v2",
    ]);
    assertEquals((await bench.byService())["b"]?.id, first["b"]?.id);
  });
});

Deno.test("a new secret version reaches a service that compose alone would leave with the old", async () => {
  await withBench(async (bench) => {
    const file = `services: {a: {image: "lab/bb:1", secrets: [s]}}
secrets: {s: {environment: PW}}`;
    const apply = async (value: string, version: number | null): Promise<string> => {
      const target = await bench.release(file, `PW="${value}"\n`);
      const secrets = version === null ? [] : [{ var: "PW", version }];
      const variables = new Map([["PW", { text: "", secrets }]]);
      await bench.succeed(upArgs(await labelled(bench, target, { variables })));
      return await read(bench, "a", "/run/secrets/s");
    };
    assertEquals(await apply("old", 1), "old");
    assertEquals(await apply("new", 1), "old");
    assertEquals(await apply("new", 2), "new");
  });
});

Deno.test("a repair takes along the service that lives in the repaired one's network", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(`services:
  base: {image: "lab/bb:1"}
  side: {image: "lab/bb:1", network_mode: "service:base"}
  -v: {image: "lab/bb:1"}`);
    await bench.succeed(upArgs(target));
    const model = await resolve(bench, target);
    const released = takeReleased(await bench.docker.list(bench.project), model);
    const before = await bench.byService();
    await bench.remove(before["base"]?.id ?? "");
    await bench.remove(before["-v"]?.id ?? "");
    const drift = compareReleased(released, await bench.docker.list(bench.project));
    const drifts = drift.same ? [] : drift.services;
    const plan = includeTied(planRepair(drifts, { repairs: [], now: 1 }), model);
    if (plan.kind !== "repair") throw new Error(`no repair but ${plan.kind}`);
    assertEquals([plan.start, plan.recreate], [["-v", "base"], ["side"]]);
    await bench.succeed(repairArgs(target, plan.start, { recreate: false }));
    await bench.succeed(repairArgs(target, plan.recreate, { recreate: true }));
    const after = await bench.docker.list(bench.project);
    assertEquals(after.map((each) => each.state), ["running", "running", "running"]);
    assertNotEquals((await bench.byService())["side"]?.id, before["side"]?.id);
    // The hash of such a service holds the other's container id: the list is taken anew.
    const again = takeReleased(after, model);
    assertNotEquals(again["side"]?.configHashes, released["side"]?.configHashes);
    assertEquals({ ...again, side: null }, { ...released, side: null });
  });
});

Deno.test("everything removed comes back in the order of its dependencies", async () => {
  await withBench(async (bench) => {
    const target = await bench.release(`services:
  migrate: {image: "lab/bb:1", command: ["sh", "-c", "sleep 1; exit 0"]}
  web: {image: "lab/bb:1", depends_on: {migrate: {condition: service_completed_successfully}}}`);
    await bench.succeed(upArgs(target));
    const model = await resolve(bench, target);
    const released = takeReleased(await bench.docker.list(bench.project), model);
    for (const each of await bench.docker.list(bench.project)) await bench.remove(each.id);
    const drift = compareReleased(released, []);
    const services = drift.same ? [] : drift.services.map((each) => each.service);
    await bench.succeed(repairArgs(target, services, { recreate: false }));
    const { migrate, web } = await bench.byService();
    assertEquals([migrate?.state, migrate?.exitCode, web?.state], ["exited", 0, "running"]);
  });
});
