/** The stand-ins of the Docker Engine and of compose against the contract list. */

import { assertEquals, assertRejects } from "@std/assert";
import { createDocker } from "../../src/clients/docker.ts";
import { createFakeDocker } from "../fakes/docker.ts";
import { createFakeCompose } from "../fakes/docker_compose.ts";
import { CONTRACT } from "./docker.ts";
import { type Bench, benchOf } from "./docker_setup.ts";

/** Gives the clients on stand-ins, with files in memory. */
function fakeBench(): Bench {
  const { engine, http } = createFakeDocker();
  const files = new Map<string, string>();
  const readFile = (path: string): Promise<string> => {
    const text = files.get(path);
    return text === undefined
      ? Promise.reject(new Error(`open ${path}: no such file or directory`))
      : Promise.resolve(text);
  };
  return benchOf({
    http,
    exec: createFakeCompose(engine, readFile).exec,
    plugin: "/usr/lib/docker/cli-plugins/docker-compose",
    env: {},
    dir: "/d",
    project: "p",
    registry: "registry.test",
    write: (name, text) => {
      files.set(`/d/${name}`, text);
      return Promise.resolve(`/d/${name}`);
    },
    stop: (id) => Promise.resolve(engine.stop(id)),
    pause: (id) => Promise.resolve(engine.pause(id)),
    remove: (id) => Promise.resolve(engine.remove(id)),
  });
}

for (const check of CONTRACT) {
  Deno.test(`Docker (stand-in): ${check.name}`, async () => {
    await check.run(fakeBench());
  });
}

Deno.test("the stand-ins refuse what they do not know, loudly", async () => {
  const { engine, http } = createFakeDocker();
  const request = {
    peer: "docker",
    method: "POST",
    target: "/containers/prune",
    headers: {},
    timeoutMs: 1,
    maxBodyBytes: 1,
  } as const;
  await assertRejects(() => http.request(request), Error, "does not know POST /containers/prune");
  const { exec } = createFakeCompose(engine);
  for (const args of [["up", "--wait"], ["--verbose", "x", "up"], ["rm"], ["pull"]]) {
    const command = { program: "x", args, env: {}, timeoutMs: 1 };
    if (args[0] === "pull") continue;
    await assertRejects(() => exec.run(command), Error, "the fake compose does not know");
  }
});

Deno.test("the stand-in's answers can be spoilt", async () => {
  const fake = createFakeDocker();
  fake.tamper((_request, reply) => ({ ...reply, status: 503 }));
  const docker = createDocker(fake.http, { timeoutMs: 1 });
  await assertRejects(() => docker.list("p"), Error, "503");
  assertEquals(fake.requests.length, 1);
});
