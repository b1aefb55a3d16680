/** Malformed input of every kind: a code and a message of its own, services and deploy folder as before. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import { changedPaths, readTree } from "../../scripts/box/tree.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { onBox, onRunningBox } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";

const COMPOSE = webBundle({ revision: "bad" });

interface Row {
  readonly name: string;
  readonly files: BundleFiles;
  readonly code: string;
  readonly says?: string;
}

const file = (path: string, content = "x"): BundleFiles => ({ ...COMPOSE, [path]: content });

const BUNDLES: readonly Row[] = [
  { name: "no compose file", files: { "a.txt": "x" }, code: "BUNDLE_INVALID" },
  { name: "a path that leaves", files: file("../out"), code: "BUNDLE_INVALID", says: "../out" },
  { name: "an absolute path", files: file("/etc/x"), code: "BUNDLE_INVALID", says: "/etc/x" },
  { name: "a path with NUL", files: file("a\0b"), code: "BUNDLE_INVALID" },
  { name: "a path that is not normalised", files: file("a//b"), code: "BUNDLE_INVALID" },
  { name: "a path with a dot segment", files: file("./a"), code: "BUNDLE_INVALID" },
  { name: "the agent's own folder", files: file(".monky/release.json"), code: "BUNDLE_INVALID" },
  { name: "a file .env", files: file(".env"), code: "BUNDLE_INVALID", says: ".env" },
  { name: "a file .env below", files: file("sub/.env"), code: "BUNDLE_INVALID", says: ".env" },
  {
    name: "a file that is a folder too",
    files: { ...COMPOSE, "a": "x", "a/b": "y" },
    code: "BUNDLE_INVALID",
  },
  {
    name: "more than 1,000 files",
    files: {
      ...COMPOSE,
      ...Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f/${n}`, ""])),
    },
    code: "BUNDLE_TOO_LARGE",
  },
  {
    name: "more than 16 MiB",
    files: file("big", "x".repeat(16 * 1024 * 1024)),
    code: "BUNDLE_TOO_LARGE",
  },
  {
    name: "compose that is no YAML",
    files: { "docker-compose.yml": "a: [\n" },
    code: "COMPOSE_FILE_INVALID",
  },
  {
    name: "compose that is a list",
    files: { "docker-compose.yml": "- a\n" },
    code: "COMPOSE_FILE_INVALID",
  },
  {
    name: "compose that compose refuses",
    files: { "docker-compose.yml": "services:\n  web:\n    image: [1]\n" },
    code: "COMPOSE_INVALID",
  },
  {
    name: "compose without a service (case 28)",
    files: { "docker-compose.yml": "services: {}\n" },
    code: "COMPOSE_INVALID",
  },
  {
    name: "a manifest that is no JSON",
    files: file("manifest.json", "{"),
    code: "MANIFEST_INVALID",
  },
  {
    name: "a manifest without entries",
    files: file("manifest.json", "{}"),
    code: "MANIFEST_INVALID",
    says: "entries",
  },
  {
    name: "a manifest with a path that leaves",
    files: file("manifest.json", `{"entries":[{"var":"A","path":"../x"}]}`),
    code: "MANIFEST_INVALID",
  },
  {
    name: "a manifest with a version of 0",
    files: file("manifest.json", `{"entries":[{"var":"A","path":"x","version":0}]}`),
    code: "MANIFEST_INVALID",
    says: "version",
  },
  {
    name: "a manifest that names a variable twice",
    files: file("manifest.json", `{"entries":[{"var":"A","path":"x"},{"var":"A","path":"y"}]}`),
    code: "MANIFEST_INVALID",
  },
  { name: "a meta that is a list", files: file("meta.json", "[]"), code: "META_INVALID" },
  {
    name: "a meta with a mistyped serial",
    files: file("meta.json", `{"serial":"1"}`),
    code: "META_INVALID",
    says: "serial",
  },
  {
    name: "a meta of another env",
    files: file("meta.json", `{"env_id":"env-other"}`),
    code: "BUNDLE_ENV_MISMATCH",
  },
  {
    name: "a template with an unknown form",
    files: file(".env.template", "A=${B/c/d}\n"),
    code: "TEMPLATE_INVALID",
  },
  {
    name: "a template that is incomplete",
    files: file(".env.template", "A=${ZED}\nB=${ABLE}\n# ${NOT_ME}\n"),
    code: "ENV_INCOMPLETE",
    says: "unresolved: ABLE, ZED",
  },
  {
    name: "a template with a reserved name (case 12)",
    files: file(".env.template", "COMPOSE_PROFILES=x\nPATH=/x\n"),
    code: "ENV_RESERVED",
    says: "COMPOSE_PROFILES, PATH",
  },
  {
    name: "case 15: a compose file that asks for what nobody defines",
    files: {
      "docker-compose.yml": "services:\n  web:\n    image: lab/bb:1\n    environment:\n" +
        "      A: ${UNSET_ONE}\n",
    },
    code: "ENV_INCOMPLETE",
    says: "UNSET_ONE",
  },
];

async function standing(box: Box): Promise<readonly string[]> {
  return (await box.containers()).map(({ Id, State }) => `${Id} ${State}`);
}

Deno.test("malformed bundles fail by name and leave services and releases as they were", async (t) => {
  await onRunningBox(async (box) => {
    const before = await standing(box);
    for (const { name, files, code, says } of BUNDLES) {
      await t.step(`${name}: ${code}`, async () => {
        await box.tenancy.publish(box.env, files, { unchecked: true });
        const tree = readTree([box.deployDir]);
        const run = await box.tick(["--now"]);
        assertEquals(run.code, 1, run.stderr);
        assertStringIncludes(run.stderr, `${code}: `);
        assertStringIncludes(run.stderr, says ?? code);
        assertEquals(await standing(box), before);
        const changed = changedPaths(tree, readTree([box.deployDir]));
        // compose is asked about a release that was staged; nothing else may have been written.
        const isStaged = code === "COMPOSE_INVALID";
        assertEquals(changed.filter((path) => !isStaged || !path.includes("/releases")), []);
        assertEquals(box.tenancy.record.leases.length, 0, "a lease was taken");
        const report = box.tenancy.record.reports.at(-1);
        assertEquals([report?.result, report?.code], ["failed", code]);
        assertStringIncludes(report?.detail ?? "", `${code}: `);
      });
    }
    assertEquals(box.tenancy.record.violations, []);
  });
});

Deno.test("a bundle reply that lies about its sha is BUNDLE_CORRUPT, and nothing is written", async () => {
  await onRunningBox(async (box) => {
    const sha = "c".repeat(64);
    const files = { "docker-compose.yml": { content: "services: {}\n" } };
    await box.tenancy.publishRaw(box.env, sha, JSON.stringify({ sha, files }));
    const tree = readTree([box.deployDir]);
    const run = await box.tick();
    assertEquals(run.code, 1, run.stderr);
    assertStringIncludes(run.stderr, "BUNDLE_CORRUPT");
    assertEquals(changedPaths(tree, readTree([box.deployDir])), []);
  });
});

Deno.test("bundle replies of the wrong shape are TENANCY_PROTOCOL", async (t) => {
  await onRunningBox(async (box) => {
    const sha = "d".repeat(64);
    const replies: readonly (readonly [string, unknown])[] = [
      ["a list", []],
      ["files missing", { sha }],
      ["files a list", { sha, files: [] }],
      ["content missing", { sha, files: { "docker-compose.yml": {} } }],
      ["content a number", { sha, files: { "docker-compose.yml": { content: 5 } } }],
      ["serial a text", { sha, files: {}, serial: "5" }],
      ["signature a number", { sha, files: {}, signature: 5 }],
    ];
    for (const [name, reply] of replies) {
      await t.step(name, async () => {
        await box.tenancy.publishRaw(box.env, sha, JSON.stringify(reply));
        const state = await box.state();
        const run = await box.tick();
        assertEquals(run.code, 1, run.stderr);
        assertStringIncludes(run.stderr, "TENANCY_PROTOCOL");
        assertEquals(await box.state(), state);
      });
    }
  });
});

Deno.test("a config with problems ends with 78, names them all, and writes nothing", async () => {
  await onBox(async (box) => {
    await box.configure({ intervall_s: 5, transport: "pigeon", bao: { addr: "http://bao:8200" } });
    const run = await box.tick();
    assertEquals(run.code, 78, run.stderr);
    for (const part of ["intervall_s", "interval_s", "transport", "bao.addr", "https"]) {
      assertStringIncludes(run.stderr, part);
    }
    assertEquals([run.writes, run.requests.tenancy], [[], 0]);
    const check = await box.run(["config", "check"]);
    assertEquals(check.code, 78);
    assertStringIncludes(check.stdout, "intervall_s");
  });
});

Deno.test("config check also finds that a file which the config names is not there", async () => {
  await onBox(async (box) => {
    assertEquals((await box.run(["config", "check"])).stdout, "OK\n");
    await box.configure({ bao: { ca: `${box.dir}/no-such-ca.pem` } });
    const check = await box.run(["config", "check"]);
    assertEquals([check.code, check.stdout], [78, ""]);
    assertStringIncludes(check.stderr, "no-such-ca.pem is not there");
  });
});

Deno.test("a state that cannot be read is kept aside, rebuilt, and said", async (t) => {
  await onRunningBox(async (box) => {
    const path = `${box.stateDir}/state.json`;
    const good = await Deno.readTextFile(path);
    const bad: readonly (readonly [string, string])[] = [
      ["torn", good.slice(0, good.length / 2)],
      ["empty", ""],
      ["of another version", good.replace('"v": 1', '"v": 99')],
      ["mistyped", good.replace('"history": [', '"history": [5, ')],
      ["binary", "\u0000\u0001"],
    ];
    for (const [name, text] of bad) {
      await t.step(name, async () => {
        await Deno.writeTextFile(path, text);
        const run = await box.tick();
        assertEquals(run.code, 0, run.stderr);
        assertStringIncludes(run.stderr, "could not be read");
        assertStringIncludes(run.stderr, "rebuilt from the current release");
        assertEquals(run.children, [], "the running release was applied again");
        const entries = await Array.fromAsync(Deno.readDir(box.stateDir));
        const aside = entries.map((entry) => entry.name)
          .filter((entry) => entry.startsWith("state.json.bad-"));
        assertEquals(aside.length > 0 && aside.length <= 3, true, aside.join(" "));
        const next = await box.tick();
        assertEquals([next.code, next.writes], [0, []], next.stderr);
        assertEquals(next.stderr.includes("rebuilt"), false, "said again by every tick");
      });
    }
    await Deno.writeTextFile(path, "");
    for (const command of ["status", "history", "plan"]) {
      const look = await box.run([command]);
      assertEquals([look.code, look.stderr, look.writes], [0, "", []], command);
      if (command === "status") assertStringIncludes(look.stdout, "state.json could not be read");
    }
  });
});

Deno.test("state and session of another env stop the tick before anything is asked", async () => {
  await onRunningBox(async (box) => {
    for (const name of ["state.json", "session.json"]) {
      const path = `${box.stateDir}/${name}`;
      const good = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, good.replaceAll(box.env, "env-other"));
      const run = await box.tick();
      assertEquals(run.code, 1, run.stderr);
      assertStringIncludes(run.stderr, "STATE_ENV_MISMATCH");
      assertEquals([run.requests.tenancy, run.writes], [0, []]);
      await Deno.writeTextFile(path, good);
    }
  });
});
