/** What the field reports of compose files that `config` takes and `up` does not, on the lab. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { dockerCall } from "../../scripts/lab/mod.ts";
import { namesToFree } from "../../src/core/repair.ts";
import { compareVersions } from "../../src/core/versions.ts";
import { container, model, service as modelService } from "../fakes/docker_values.ts";
import { onBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";

/** One service of a compose file, with more of its keys. */
function service(name: string, ...lines: readonly string[]): string {
  const more = lines.map((line) => `    ${line}\n`).join("");
  return `  ${name}:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n${more}`;
}

function file(services: readonly string[], rest = ""): Readonly<Record<string, string>> {
  return { "docker-compose.yml": `services:\n${services.join("")}${rest}` };
}

/** The project's containers: which they are and how they stand. */
async function standing(box: Box): Promise<readonly string[]> {
  return (await box.containers()).map(({ Id, State, Names }) => `${Names[0]} ${State} ${Id}`)
    .sort();
}

/** Whether the box's compose leaves a network as it is whatever the files say; asked after a tick. */
async function keepsNetworks(box: Box): Promise<boolean> {
  const known = (await box.state())?.["compose"] as { readonly version: string };
  return compareVersions(known.version, "2.32.0") < 0;
}

async function engineApi(box: Box): Promise<number> {
  const { ApiVersion } = JSON.parse(await dockerCall(box.lab.docker.socket, "GET", "/version"));
  return Number(String(ApiVersion).split(".")[1]);
}

Deno.test("field: what up would fail of in its middle is refused while the old release runs", async () => {
  await onBox(async (box) => {
    const manifest = JSON.stringify({ entries: [{ var: "TOKEN", path: "token" }] });
    await box.secret("token", { value: "t" });
    await box.reveal();
    await box.tenancy.publish(box.env, {
      ...file([service("a", "secrets: [s]"), service("b")], "secrets: {s: {environment: TOKEN}}\n"),
      ".env.template": "URL=x-${TOKEN}\n",
      "manifest.json": manifest,
    });
    const first = await box.tick();
    assertEquals(first.code, 0, first.stderr);
    const before = await standing(box);
    const secret = (source: string): string => `secrets: {s: {${source}}}\n`;
    const given = [service("a", "secrets: [s]", "labels: [r=2]"), service("b", "labels: [r=2]")];
    const check = "{test: 'true', interval: 1s, start_period: 2s, start_interval: 1s}";
    const rows: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
      ["ENV_INCOMPLETE", file(given, secret("environment: MISSING")), "unresolved: MISSING"],
      ["COMPOSE_INVALID", file(given, secret("external: true")), "secrets.s, which a is given"],
      ["ENV_RESERVED", file([service("a", "environment: [PATH]"), service("b")]), "PATH"],
      [
        "COMPOSE_INVALID",
        file([service("a", "depends_on: {b: {condition: service_healthy}}"), service("b")]),
        "a waits for b to be healthy, which has no healthcheck",
      ],
      [
        "IMAGE_NOT_FOUND",
        file([service("a", "pull_policy: never").replace("lab/bb:1", "lab/absent:1")]),
        "the box has no such images: lab/absent:1",
      ],
      ...!await keepsNetworks(box) ? [] : [
        [
          "NAME_CONFLICT",
          file([service("a"), service("b")], "networks: {default: {internal: true}}\n"),
          "network default exists with other options (internal)",
        ] as const,
      ],
      ...await engineApi(box) >= 44 ? [] : [
        [
          "DOCKER_TOO_OLD",
          file([service("a", `healthcheck: ${check}`), service("b", "labels: [r=2]")]),
          "a: healthcheck.start_interval needs Docker Engine 25",
        ] as const,
      ],
    ];
    for (const [code, files, says] of rows) {
      await box.tenancy.publish(box.env, files);
      const run = await box.tick();
      assertEquals(run.code, 1, run.stderr);
      assertStringIncludes(run.stderr, `${code}: `);
      assertStringIncludes(run.stderr, says);
      // Nothing that must be there is asked of a registry, and nothing is begun.
      const begun = run.children.filter((each) => / up | pull .*absent/.test(each));
      assertEquals([begun, await standing(box)], [[], before], code);
    }
  }, { config: { settle_s: 0 } });
});

Deno.test("field: services that exchange their container_names both run, with no failed try", async () => {
  await onBox(async (box) => {
    const named = (one: string, other: string): readonly string[] => [
      service("a", `container_name: ${box.env}-${one}`),
      service("b", `container_name: ${box.env}-${other}`),
    ];
    const standsAs = async (one: string, other: string): Promise<void> => {
      const names = (await box.containers()).map(({ Names, State, Labels }) =>
        `${Labels["com.docker.compose.service"]} ${Names.join()} ${State}`
      );
      assertEquals(names.filter((each) => !each.startsWith("c ")).sort(), [
        `a /${box.env}-${one} running`,
        `b /${box.env}-${other} running`,
      ]);
    };
    await box.reveal();
    for (const [one, other] of [["x", "y"], ["y", "x"]] as const) {
      await box.tenancy.publish(box.env, file(named(one, other)));
      const run = await box.tick();
      assertEquals(run.code, 0, run.stderr);
      assertEquals(run.children.filter((each) => / up /.test(each)).length, 1, run.stderr);
      await standsAs(one, other);
    }
    // What a tick leaves that is killed when it has freed the names, and then the old ones are wanted.
    const listed = (await box.containers()).map(({ Id, Names, Labels }) =>
      container({
        id: Id,
        service: Labels["com.docker.compose.service"] ?? "",
        name: String(Names[0]).slice(1),
      })
    );
    const exchanged = model([
      modelService({ name: "a", containerName: `${box.env}-x` }),
      modelService({ name: "b", containerName: `${box.env}-y` }),
    ]);
    for (const { id, name } of namesToFree(listed, exchanged)) {
      await dockerCall(box.lab.docker.socket, "POST", `/containers/${id}/rename?name=${name}`);
    }
    await box.tenancy.publish(box.env, file([...named("y", "x"), service("c")]));
    const again = await box.tick();
    assertEquals(again.code, 0, again.stderr);
    await standsAs("y", "x");
  }, { config: { settle_s: 0 } });
});

Deno.test("field: a job that says restart: no, and outlasts the watch, is not run again", async () => {
  await onBox(async (box) => {
    const job = `  job:\n    image: lab/bb:1\n    command: ["sleep", "2"]\n    restart: "no"\n`;
    await box.reveal();
    await box.tenancy.publish(box.env, file([job, service("web")]));
    const run = await box.tick();
    assertEquals(run.code, 0, run.stderr);
    const isDone = async (): Promise<boolean> =>
      (await box.containers()).some((each) => each.Status.startsWith("Exited (0)"));
    for (let look = 0; look < 100 && !await isDone(); look++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assertEquals(await isDone(), true, "the job has not ended");
    const idle = await box.tick();
    assertEquals([idle.code, idle.children, idle.writes], [0, [], []], idle.stderr);
  }, { config: { settle_s: 0 } });
});

Deno.test("field: stopped containers whose network was pruned are made anew, by a repair and by a release", async () => {
  await onBox(async (box) => {
    const { socket } = box.lab.docker;
    const prune = async (): Promise<void> => {
      for (const { Id } of await box.containers()) {
        await dockerCall(socket, "POST", `/containers/${Id}/stop?t=1`);
      }
      await dockerCall(socket, "DELETE", `/networks/${box.project}_default`);
    };
    await box.reveal();
    for (const services of [["a"], ["a", "b"]]) {
      await box.tenancy.publish(box.env, file(services.map((name) => service(name))));
      const applied = await box.tick();
      assertEquals(applied.code, 0, applied.stderr);
      await prune();
    }
    const repaired = await box.tick();
    assertEquals([repaired.code, box.tenancy.record.reports.at(-1)?.result], [0, "repaired"]);
    assertEquals((await box.containers()).map((each) => each.State), ["running", "running"]);
  }, { config: { settle_s: 0 } });
});
