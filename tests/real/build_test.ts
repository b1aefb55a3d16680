/**
 * SPEC §11: a release, made twice from the same sources in two folders, and the agent in it living the
 * ticks that the sources' tests live. The only test that makes packages: half a minute on two cores.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { sha256Of } from "../../scripts/build/checksums.ts";
import { fetchRuntime, readRuntime } from "../../scripts/build/runtime.ts";
import { listFiles, PROJECT } from "../../scripts/check/paths.ts";
import { installMissing } from "../../scripts/lab/apt.ts";
import { sayOnStderr } from "../../scripts/lab/mod.ts";
import { VERSION } from "../../src/version.ts";

/** Whole ticks under every flag of the packaged form: killed, stopped, locked, restored, no core. */
const SUITE = ["core_test.ts", "restore_test.ts", "tick_lock_test.ts"];
const MOMENT = "1796000000";
const TREES = [
  "main.ts",
  "deno.json",
  "deno.lock",
  "CHANGELOG.md",
  "docs",
  "packaging",
  "scripts",
  "src",
];

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    cwd: options.cwd,
    env: { ...options.env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Copies the sources, so that nobody who edits them meanwhile is met, and builds there. */
async function buildIn(folder: string, sources: string): Promise<string> {
  await Deno.mkdir(folder);
  for (const tree of TREES) await run("cp", ["-a", `${sources}/${tree}`, folder], { cwd: folder });
  await Deno.mkdir(`${PROJECT}/.build`, { recursive: true });
  await Deno.symlink(`${PROJECT}/.build`, `${folder}/.build`);
  const { code, text } = await run(
    Deno.execPath(),
    ["run", "-A", "--frozen", "scripts/build.ts"],
    { cwd: folder, env: { SOURCE_DATE_EPOCH: MOMENT, DENO_NO_UPDATE_CHECK: "1" } },
  );
  assertEquals(code, 0, text);
  return `${folder}/dist`;
}

async function sums(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const name of await listFiles(folder, () => true)) {
    found[name] = await sha256Of(await Deno.readFile(`${folder}/${name}`));
  }
  return found;
}

Deno.test("a release: the same bytes twice, and whole ticks on what is in it", async (t) => {
  const work = await Deno.makeTempDir({ prefix: "monky-release-" });
  try {
    const dist = await buildIn(`${work}/one`, PROJECT);

    await t.step("it holds what a box downloads, and sums that sha256sum confirms", async () => {
      assertEquals(Object.keys(await sums(dist)), [
        "SHA256SUMS",
        "install.sh",
        `monky-deployd-${VERSION}-1.x86_64.rpm`,
        `monky-deployd_${VERSION}.sbom.json`,
        `monky-deployd_${VERSION}_amd64.deb`,
        `monky-deployd_${VERSION}_linux_amd64.tar.gz`,
      ]);
      const checked = await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: dist });
      assertEquals(checked.code, 0, checked.text);
      assertEquals(checked.text.trim().split("\n").length, 5);
    });

    await t.step("the same sources elsewhere give the same bytes", async () => {
      const other = await buildIn(`${work}/a folder elsewhere`, `${work}/one`);
      assertEquals(await sums(other), await sums(dist));
    });

    await t.step(
      "lintian finds nothing in the .deb that no override gives a reason for",
      async () => {
        await installMissing([{ program: "lintian", packages: ["lintian"] }], sayOnStderr);
        const deb = `${dist}/monky-deployd_${VERSION}_amd64.deb`;
        const words = ["--allow-root", "--fail-on", "error,warning", deb];
        const found = await run("lintian", words, { cwd: work, env: { LC_ALL: "C.UTF-8" } });
        assertEquals([found.code, found.text], [0, ""]);
      },
    );

    await t.step(
      "the list of parts names the runtime and what is bundled, by checksum",
      async () => {
        const path = `${dist}/monky-deployd_${VERSION}.sbom.json`;
        const { bomFormat, components } = JSON.parse(await Deno.readTextFile(path));
        const names = components.map(({ name }: { readonly name: string }) => name);
        assertEquals(bomFormat, "CycloneDX");
        for (const name of ["@deno/linux-x64-glibc", "zod", "js-yaml", "jose", "minimist"]) {
          assert(names.includes(name), `${name} is not in ${names}`);
        }
        assert(!names.includes("fast-check"), "what only tests use is in it");
      },
    );

    await t.step("a runtime that npm has under another checksum is not taken", async () => {
      const pinned = await readRuntime(PROJECT);
      const wrong = { ...pinned, sha256: "0".repeat(64), integrity: "sha512-other" };
      await assertRejects(() => fetchRuntime(wrong, `${work}/runtime`), Error, "is pinned");
    });

    const root = `${work}/box`;
    await t.step("the archive unpacks to an agent that says its version", async () => {
      await Deno.mkdir(root);
      const archive = `${dist}/monky-deployd_${VERSION}_linux_amd64.tar.gz`;
      assertEquals((await run("tar", ["-xzf", archive], { cwd: root })).code, 0);
      const { code, text } = await run(`${root}/usr/bin/monky-deployd`, ["version"], { cwd: "/" });
      assertEquals([code, text], [0, `${VERSION}\n`]);
    });

    await t.step("what is in it passes the whole-tick suite of the sources", async () => {
      const files = SUITE.map((name) => `tests/real/${name}`);
      const { code, text } = await run(
        Deno.execPath(),
        ["test", "-A", "--no-check", "--parallel", ...files],
        {
          cwd: PROJECT,
          env: {
            MONKY_AGENT: `${root}/usr/bin/monky-deployd`,
            NO_COLOR: "1",
            DENO_NO_UPDATE_CHECK: "1",
          },
        },
      );
      assertEquals(code, 0, text.slice(-4000));
      const passed = Number(/^ok \| (\d+) passed/m.exec(text)?.[1] ?? 0);
      assert(passed >= 9, text.slice(-1000));
    });
  } finally {
    await Deno.remove(work, { recursive: true });
  }
});
