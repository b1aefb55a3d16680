/** What the field reports of compose, registries and boxes, as whole ticks on the lab. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { importImage, pushImage, removeImage } from "../../scripts/lab/mod.ts";
import { dockerCall } from "../../scripts/lab/docker_api.ts";
import { waitFor } from "../../scripts/lab/wait.ts";
import { runInside } from "../../scripts/matrix/hands.ts";
import type { Box } from "../../scripts/box/box.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING, webBundle } from "../support/bundles.ts";

/** A bundle of one service `web` with more of its keys, and an account for the lab's registry. */
function registryBundle(box: Box, image: string, more: string): Readonly<Record<string, string>> {
  return {
    "docker-compose.yml": `services:\n  web:\n    image: ${image}\n    ${LONG_RUNNING}\n${more}`,
    "manifest.json": JSON.stringify({
      entries: ["username", "password"].map((key) => ({ var: key, path: "registry", key })),
      registries: [{
        host: box.lab.registry.address,
        username_var: "username",
        password_var: "password",
      }],
    }),
  };
}

/** Pushes another image under the name; gives its reference, which the Engine has not. */
async function publishImage(box: Box, revision: string): Promise<string> {
  const name = `lab/kinds-${box.env}:1`;
  await importImage(box.lab, name, { changes: [`LABEL revision=${revision}`] });
  const reference = await pushImage(box.lab, name);
  await removeImage(box.lab, reference);
  await removeImage(box.lab, name);
  return reference;
}

/** Makes what the healthcheck takes amiss; gives back when the Engine says unhealthy. */
async function breakHealth(box: Box, id: string): Promise<void> {
  await runInside(box, id, ["touch", "/broken"]);
  await waitFor("unhealthy", 60_000, async () => {
    const own = (await box.containers()).find((each) => each.Id === id);
    return own?.Status.includes("(unhealthy)") === true ? true : null;
  });
}

Deno.test("field: folders, CA, socket and config that are links are used as if they were not", async () => {
  await onBox(async (box) => {
    const link = async (name: string, to: string): Promise<string> => {
      await Deno.symlink(to, `${box.dir}/${name}`);
      return `${box.dir}/${name}`;
    };
    for (const folder of ["other disk", "données"]) await Deno.mkdir(`${box.dir}/${folder}`);
    await box.configure({
      settle_s: 0,
      state_dir: await link("linked-state", `${box.dir}/other disk`),
      deploy_dir: await link("linked-deploy", `${box.dir}/données`),
      bao: { ca: await link("ca.pem", box.bao.bao.caFile) },
      docker: { host: `unix://${await link("sockets", box.dir)}/d.sock` },
    });
    await Deno.rename(box.configPath, `${box.dir}/real config.yaml`);
    await Deno.symlink("real config.yaml", box.configPath);
    await box.secret("key", { value: "v" });
    await box.reveal();
    await box.tenancy.publish(box.env, {
      ...webBundle({ entries: [{ var: "KEY", path: "key" }] }),
      "docker-compose.yml": `services:\n  web:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n` +
        `    environment: [KEY]\n    volumes: ["./ä b.txt:/a:ro"]\n`,
      "ä b.txt": "x",
    });
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    const idle = await box.tick();
    assertEquals([idle.code, idle.children, idle.requests.tenancy], [0, [], 1], idle.stderr);
  });
});

Deno.test("field: a container_name that somebody else's container has is told before anything is recreated", async () => {
  await onBox(async (box) => {
    const name = `${box.env}-taken`;
    const bundle = (revision: string, more: string): Readonly<Record<string, string>> => ({
      "docker-compose.yml": ["a", "b"].map((service) =>
        `  ${service}:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n` +
        `    environment: [REVISION=${revision}]\n`
      ).join("").replace(/^/, "services:\n") + more,
    });
    await box.reveal();
    await box.tenancy.publish(box.env, bundle("1", ""));
    assertEquals((await box.tick()).code, 0);
    const before = (await box.containers()).map((each) =>
      each.Id
    ).sort();
    await dockerCall(box.lab.docker.socket, "POST", `/containers/create?name=${name}`, {
      body: JSON.stringify({ Image: "lab/bb:1" }),
      headers: { "content-type": "application/json" },
    });
    try {
      await box.tenancy.publish(box.env, bundle("2", `    container_name: ${name}\n`));
      const run = await box.tick();
      assertEquals(run.code, 1, run.stderr);
      assertStringIncludes(run.stderr, `NAME_CONFLICT: b needs the name ${name}`);
      assertEquals((await box.containers()).map((each) => each.Id).sort(), before);
      assertEquals(box.tenancy.record.reports.at(-1)?.code, "NAME_CONFLICT");
    } finally {
      await dockerCall(box.lab.docker.socket, "DELETE", `/containers/${name}?force=1`);
    }
    assertEquals((await box.tick(["--now"])).code, 0);
    assert((await box.containers()).some((each) => each.Names.includes(`/${name}`)));
  }, { config: { settle_s: 0 } });
});

Deno.test("field: a container that an interrupted up left under a provisional name gets its own back", async () => {
  await onBox(async (box) => {
    const bundle = (revision: string): Readonly<Record<string, string>> => ({
      "docker-compose.yml": `services:\n  web:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n` +
        `  api:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n    labels: [r=${revision}]\n`,
    });
    const names = async (): Promise<readonly string[]> =>
      (await box.containers()).flatMap((each) => each.Names).sort();
    await box.reveal();
    await box.tenancy.publish(box.env, bundle("1"));
    assertEquals((await box.tick()).code, 0);
    const proper = await names();
    const web = (await box.containers()).find((each) => each.Names[0]?.includes("-web-"));
    const name = `0123456789ab_${web?.Names[0]?.slice(1)}`;
    await dockerCall(
      box.lab.docker.socket,
      "POST",
      `/containers/${web?.Id}/rename?name=${name}`,
    );
    await box.tenancy.publish(box.env, bundle("2"));
    const run = await box.tick();
    assertEquals([run.code, await names()], [0, proper], run.stderr);
  }, { config: { settle_s: 0 } });
});

Deno.test("field: when a dependency never becomes healthy, the report has its own last lines", async () => {
  await onBox(async (box) => {
    await box.reveal();
    await box.tenancy.publish(box.env, {
      "docker-compose.yml": `services:
  db:
    image: lab/bb:1
    command: ["sh", "-c", "echo cannot open the data; exec sleep 3600"]
    init: true
    stop_grace_period: 1s
    healthcheck: {test: "echo no answer; exit 1", interval: 1s, retries: 1}
  web:
    image: lab/bb:1
    ${LONG_RUNNING}
    depends_on: {db: {condition: service_healthy}}
`,
    });
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    const report = box.tenancy.record.reports.at(-1);
    assertEquals(report?.code, "UNHEALTHY");
    for (
      const line of ["db, its healthcheck:\nno answer", "db, last lines:\ncannot open the data"]
    ) {
      assertStringIncludes(report?.detail ?? "", line);
    }
  }, { config: { settle_s: 0 } });
});

Deno.test("field: a dependency that was unhealthy before is replaced, and does not keep a new release down", async () => {
  await onBox(async (box) => {
    const bundle = (revision: string): Readonly<Record<string, string>> => ({
      "docker-compose.yml": `services:
  db:
    image: lab/bb:1
    command: ["sleep", "3600"]
    init: true
    stop_grace_period: 1s
    healthcheck: {test: "test ! -e /broken", interval: 1s, retries: 1}
  web:
    image: lab/bb:1
    ${LONG_RUNNING}
    labels: [r=${revision}]
    depends_on: {db: {condition: service_healthy}}
`,
    });
    await box.reveal();
    await box.tenancy.publish(box.env, bundle("1"));
    assertEquals((await box.tick()).code, 0);
    const db = (await box.containers()).find((each) => each.Names[0]?.includes("-db-"));
    await breakHealth(box, db?.Id ?? "");
    await box.tenancy.publish(box.env, bundle("2"));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    const states = (await box.containers()).map((each) => [each.State, each.Id === db?.Id]);
    assertEquals(states, [["running", false], ["running", false]]);
  }, { config: { settle_s: 0 } });
});

Deno.test("field: an image that was pruned with its container is fetched again", async () => {
  await onBox(async (box) => {
    const { username, password } = box.lab.registry;
    await box.secret("registry", { username, password });
    await box.reveal();
    const image = await publishImage(box, "1");
    await box.tenancy.publish(box.env, registryBundle(box, image, ""));
    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    const [web] = await box.containers();
    await dockerCall(box.lab.docker.socket, "DELETE", `/containers/${web?.Id}?force=1`);
    await removeImage(box.lab, image);
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    assertEquals((await box.containers()).map((each) => each.State), ["running"]);
    assertEquals(box.tenancy.record.reports.at(-1)?.result, "applied");
  }, { config: { settle_s: 0 } });
});

Deno.test("field: a tag that has moved is fetched by an apply where pull_policy is always, and only there", async () => {
  await onBox(async (box) => {
    const { username, password } = box.lab.registry;
    await box.secret("registry", { username, password });
    await box.reveal();
    const name = `lab/kinds-${box.env}`;
    const seen: (string | undefined)[] = [];
    for (const [revision, policy] of [["1", "missing"], ["2", "missing"], ["3", "always"]]) {
      await importImage(box.lab, `${name}:1`, { changes: [`LABEL revision=${revision}`] });
      const image = await pushImage(box.lab, `${name}:1`);
      // The registry moves on; the box keeps what it had.
      const kept = new URLSearchParams({ repo: image.slice(0, -2), tag: "1" });
      if (seen.length === 0) await removeImage(box.lab, image);
      else await dockerCall(box.lab.docker.socket, "POST", `/images/${seen[0]}/tag?${kept}`);
      const more = `    pull_policy: ${policy}\n    labels: [revision=${revision}]\n`;
      await box.tenancy.publish(box.env, registryBundle(box, image, more));
      const run = await box.tick();
      assertEquals(run.code, 0, run.stderr);
      seen.push((await box.containers())[0]?.ImageID);
    }
    assertEquals([seen[1] === seen[0], seen[2] === seen[0]], [true, false]);
  }, { config: { settle_s: 0 } });
});
