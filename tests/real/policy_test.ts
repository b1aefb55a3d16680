/**
 * The policy on what the real compose makes of real files, and in whole ticks: nothing that a bundle
 * asks for too much reaches compose or a container.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { HOSTILE_FILES } from "../core/policy/hostile_files.ts";
import { UNREADABLE } from "../core/policy/unreadable_files.ts";
import { onRunningBox } from "../support/boxes.ts";
import { LONG_RUNNING } from "../support/bundles.ts";
import { HARMLESS_BUNDLES } from "../support/harmless_bundles.ts";
import { HOSTILE_SERVICES } from "../support/hostile_services.ts";
import { judgeFiles } from "../support/policy.ts";

Deno.test("what compose resolves is denied by name, service by service", async (t) => {
  for (const { name, files, findings } of HOSTILE_SERVICES) {
    await t.step(name, async () => {
      const judged = await judgeFiles(files);
      const expected = findings.map((each) =>
        each.replace(/\$([RDPH])/, (_, letter: "R" | "D" | "P" | "H") => judged.places[letter])
      );
      assertEquals(judged.second.toSorted(), expected.toSorted());
    });
  }
});

Deno.test("what people usually write passes both looks", async (t) => {
  for (const { name, files } of HARMLESS_BUNDLES) {
    await t.step(name, async () => {
      const { first, second } = await judgeFiles(files);
      assertEquals([first, second], [[], []]);
    });
  }
});

/** The project's containers, without how long they have been up. */
async function running(box: Box): Promise<readonly string[]> {
  return (await box.containers()).map(({ Id, State, Created }) => `${Id} ${State} ${Created}`);
}

/** Publishes the files and ticks; nothing of the release that runs may have changed. */
async function refused(box: Box, files: Readonly<Record<string, string>>): Promise<string> {
  const before = await running(box);
  const leases = box.tenancy.record.leases.length;
  await box.tenancy.publish(box.env, files);
  const run = await box.tick(["--now"]);
  assertEquals(run.code, 1, run.stderr);
  assertEquals(run.children, [], "compose was started");
  assertEquals(box.tenancy.record.leases.length, leases, "a lease was taken");
  assertEquals(await running(box), before);
  const report = box.tenancy.record.reports.at(-1);
  assertEquals(report?.result, "failed");
  return report?.detail ?? "";
}

Deno.test("what a bundle's files ask compose to read is refused before compose is started", async (t) => {
  await onRunningBox(async (box) => {
    for (const { name, files, findings } of HOSTILE_FILES) {
      await t.step(name, async () => {
        const detail = await refused(box, files);
        const onlyMissing = findings.every((each) => each.startsWith("bind_missing"));
        assert(detail.startsWith(onlyMissing ? "BIND_MISSING" : "POLICY_DENIED"), detail);
        for (const each of findings) assertStringIncludes(detail, each);
      });
    }
    for (const [name, files] of UNREADABLE.filter(([, files]) => weight(files) < 100_000)) {
      await t.step(name, async () => {
        assertStringIncludes(await refused(box, files), "COMPOSE_FILE_INVALID");
      });
    }
    await t.step("the release that runs goes on", async () => {
      assertEquals((await box.containers())[0]?.State, "running");
    });
  });
});

function weight(files: Readonly<Record<string, string>>): number {
  return Object.values(files).reduce((sum, text) => sum + text.length, 0);
}

Deno.test("a program that a bundle names for git is never run (facts: docker §4)", async () => {
  await onRunningBox(async (box) => {
    const tripwire = `${box.dir}/tripwire`;
    const detail = await refused(box, {
      "docker-compose.yml":
        `include: ["git@127.0.0.1:a/b.git"]\nservices: {a: {image: lab/bb:1}}\n`,
      ".env.template": `OTHER=1\n`,
    });
    assertStringIncludes(detail, "include:remote");
    const reserved = await refused(box, {
      "docker-compose.yml":
        `include: ["git@127.0.0.1:a/b.git"]\nservices: {a: {image: lab/bb:1}}\n`,
      ".env.template":
        `COMPOSE_EXPERIMENTAL_GIT_REMOTE=1\nGIT_SSH_COMMAND="touch ${tripwire}; false"\n`,
    });
    assertStringIncludes(reserved, "ENV_RESERVED");
    const found = await Deno.stat(tripwire).catch(() => null);
    assertEquals(found, null, "the program was run");
  });
});

const compose = (lines: string): string =>
  `services:\n  web:\n    image: lab/bb:1\n    ${LONG_RUNNING}\n    environment: [KEY]\n${lines}`;
const manifest = { "manifest.json": `{"entries":[{"var":"KEY","path":"key"}]}` };

/** Publishes the files and ticks; compose may be asked, but no container is touched. */
async function denied(box: Box, files: Readonly<Record<string, string>>): Promise<string> {
  const before = await running(box);
  await box.tenancy.publish(box.env, { ...manifest, ...files });
  const run = await box.tick(["--now"]);
  assertEquals(run.code, 1, run.stderr);
  const touching = run.children.filter((each) => / (?:up|down|create|start|restart) /.test(each));
  assertEquals(touching, [], run.stderr);
  assertEquals(await running(box), before);
  assert(!run.stderr.includes("first value"), "a secret was logged");
  return box.tenancy.record.reports.at(-1)?.detail ?? "";
}

Deno.test("the resolved form is denied with every finding, and the host may allow each by name", async () => {
  await onRunningBox(async (box) => {
    const text = compose(
      `    cap_add: [NET_ADMIN]\n    security_opt: ["seccomp=unconfined"]\n    volumes: ["/etc/hostname:/h:ro"]\n`,
    );
    const detail = await denied(box, { "docker-compose.yml": text });
    assert(detail.startsWith("POLICY_DENIED: "), detail);
    const names = ["cap_add:NET_ADMIN", "security_opt:seccomp=unconfined", "bind:/etc/hostname"];
    for (const name of names) assertStringIncludes(detail, name);
    await box.configure({ policy: { allow: names.slice(1) } });
    const rest = await denied(box, { "docker-compose.yml": `${text}    x-a: 1\n` });
    assertEquals(rest, "POLICY_DENIED: services.web.cap_add[0]: cap_add:NET_ADMIN");
    await box.configure({ policy: { allow: names } });
    const run = await box.tick(["--now"]);
    assertEquals(run.code, 0, run.stderr);
  });
});

Deno.test("a finding that holds a secret's value is masked", async () => {
  await onRunningBox(async (box) => {
    const detail = await denied(box, {
      "docker-compose.yml": compose('    volumes: ["/x${KEY}:/h"]\n'),
    });
    assertStringIncludes(detail, "POLICY_DENIED: services.web.volumes[0]: bind:/x");
    assert(!/first|value/.test(detail), detail);
  });
});

Deno.test("a link out of an allowed folder is followed and denied, one within it is not", async () => {
  await onRunningBox(async (box) => {
    const allowed = `${box.dir}/allowed`;
    await Deno.mkdir(`${allowed}/real`, { recursive: true });
    await Deno.symlink("/etc", `${allowed}/out`);
    await Deno.symlink("real", `${allowed}/in`);
    await Deno.symlink(box.stateDir, `${allowed}/real/token`);
    await box.configure({ policy: { bind_allow: [allowed] } });
    for (const path of ["out", "out/passwd", "in/token/session.json", "../state/session.json"]) {
      const detail = await denied(box, {
        "docker-compose.yml": compose(`    volumes: ["${allowed}/${path}:/h"]\n`),
      });
      assertStringIncludes(detail, "services.web.volumes[0]: bind:");
    }
    await box.tenancy.publish(box.env, {
      ...manifest,
      "docker-compose.yml": compose(`    volumes: ["${allowed}/in:/h", "${allowed}/new:/n"]\n`),
    });
    const run = await box.tick(["--now"]);
    assertEquals(run.code, 0, run.stderr);
    assert((await Deno.stat(`${allowed}/new`)).isDirectory);
  });
});

Deno.test("a relative path that leads elsewhere from the folder it is used in is denied there", async () => {
  await onRunningBox(async (box) => {
    // From releases/<sha> four levels up is the folder above the box's own, from project one more.
    const above = box.dir.slice(0, box.dir.lastIndexOf("/"));
    const allowed = `${above}/allowed-${box.env}`;
    await Deno.mkdir(allowed);
    try {
      await box.configure({ policy: { bind_allow: [allowed] } });
      const detail = await denied(box, {
        "docker-compose.yml": compose(`    volumes: ["../../../../allowed-${box.env}:/h"]\n`),
      });
      assertStringIncludes(detail, "POLICY_DENIED: services.web.volumes[0]: bind:");
    } finally {
      await Deno.remove(allowed, { recursive: true });
    }
  });
});

Deno.test("a bind source that the bundle does not bring is BIND_MISSING, and no folder appears", async () => {
  await onRunningBox(async (box) => {
    const text = compose('    volumes: ["./conf/a:/a", "./data:/d"]\n');
    const detail = await denied(box, { "docker-compose.yml": text, "conf/a": "1" });
    assertStringIncludes(detail, "BIND_MISSING: services.web.volumes[1]: bind_missing:data");
    assertEquals(await Deno.stat(`${box.deployDir}/project/data`).catch(() => null), null);
  });
});

Deno.test("a link that a container planted is not followed by a repair", async () => {
  await onRunningBox(async (box) => {
    await box.tenancy.publish(box.env, {
      ...manifest,
      "docker-compose.yml": compose('    volumes: ["./data:/data"]\n'),
      "data/conf": "1",
    });
    assertEquals((await box.tick()).code, 0);
    const planted = `${box.deployDir}/project/data`;
    await Deno.remove(planted, { recursive: true });
    await Deno.symlink("/etc", planted);
    const [container] = await box.containers();
    const { dockerCall } = await import("../../scripts/lab/docker_api.ts");
    await dockerCall(box.lab.docker.socket, "POST", `/containers/${container?.Id}/kill`);
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "POLICY_DENIED");
    assertEquals(run.children.filter((each) => each.includes(" up ")), []);
  });
});
