/** SPEC §11: what a release is made of, without making one: pins, texts, archives. */

import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { gunzipSync } from "node:zlib";
import { packArchive } from "../scripts/build/archive.ts";
import { debianChangelog } from "../scripts/build/changelog.ts";
import { joinInstaller } from "../scripts/build/installer.ts";
import { buildMoment } from "../scripts/build/moment.ts";
import { fetchRuntime, readRuntime } from "../scripts/build/runtime.ts";
import { sayBytes } from "../scripts/build/say_bytes.ts";
import { sealedGrants } from "../scripts/build/tree.ts";
import { VERSION } from "../src/version.ts";

const ROOT = decodeURIComponent(new URL("..", import.meta.url).pathname).replace(/\/$/, "");
const text = (path: string): string => Deno.readTextFileSync(`${ROOT}/${path}`);

Deno.test("the runtime that is shipped is the one that tests, tasks and the README run", async () => {
  const { deno } = await readRuntime(ROOT);
  assertEquals(deno, Deno.version.deno);
  for (const path of ["README.md", ".ci/run"]) {
    const named = [...text(path).matchAll(/npx -y deno@([\d.]+)/g)].map(([, version]) => version);
    assert(named.length > 0, path);
    assertEquals(new Set(named), new Set([deno]), path);
  }
});

Deno.test("the version is the same wherever it stands", () => {
  assertEquals(JSON.parse(text("deno.json")).version, VERSION);
  assertEquals(JSON.parse(text("packaging/ziti-bridge/package.json")).version, VERSION);
  const newest = /^## (\S+?),? /m.exec(text("CHANGELOG.md"))?.[1];
  assertEquals(newest, VERSION);
});

Deno.test("a file that is only called like the runtime is not shipped", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const pinned = await readRuntime(ROOT);
    await Deno.writeTextFile(`${folder}/deno-${pinned.deno}`, "not the runtime");
    const path = await fetchRuntime(pinned, folder);
    assertEquals(path, Deno.execPath());
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the changelog of the package has the form that Debian reads", () => {
  const changelog = debianChangelog({
    text: "# Changelog\n\n## 1.1.0, 2026-01-01\n\nText.\n\n- [FIX] A long " + "word ".repeat(30) +
      "\n  and more.\n\nMore text.\n\n- [FEATURE] B.\n\n## 1.0.0, 2025\n\n- [FIX] C.\n",
    version: "1.1.0",
    momentS: 1_700_000_000,
  });
  const lines = changelog.split("\n");
  assertEquals(lines[0], "monky-deployd (1.1.0) stable; urgency=medium");
  assert(lines.every((line) => line.length <= 80 || line.startsWith(" -- ")), changelog);
  assertStringIncludes(changelog, "  * [FIX] A long word");
  assertStringIncludes(changelog, "    word word");
  assertStringIncludes(changelog, "  * [FEATURE] B.\n\n -- ");
  assert(changelog.endsWith("  Tue, 14 Nov 2023 22:13:20 +0000\n"), changelog);
  assert(!changelog.includes("C."), "an older version's changes are in it");
});

Deno.test("a version that the changelog says nothing of is not built", () => {
  const parts = { text: "## 1.0.0, x\n\n- [FIX] A.\n", version: "1.1.0", momentS: 0 };
  assertThrows(() => debianChangelog(parts), Error, "nothing of 1.1.0");
});

Deno.test("the installer is one file that reads no other and knows its release", async () => {
  const script = await joinInstaller(ROOT, "9.9.9");
  assert(!script.includes("@VERSION@") && !/^\. "\$here/m.test(script), "something is left over");
  assertStringIncludes(script, "release_version=9.9.9");
  for await (const { name } of Deno.readDir(`${ROOT}/packaging/install`)) {
    const [, body = ""] = text(`packaging/install/${name}`).split(/\n(?=[a-z_]+\(\) \{)/);
    assertStringIncludes(script, body.trimEnd(), name);
  }
});

Deno.test("the launcher's flags come from the agent's own function, or nothing is built", () => {
  assertStringIncludes(sealedGrants("SEALED='@SEALED@'"), "--no-prompt\n--no-remote");
  assertThrows(() => sealedGrants("SEALED="), Error, "no place");
});

Deno.test("an archive has its folders, its modes and one time, whoever makes it", () => {
  const content = new TextEncoder().encode("x");
  const archive = packArchive([
    { path: "/usr/lib/m/b", mode: 0o755, content },
    { path: "/usr/bin/a", mode: 0o644, content },
  ], 1_700_000_000);
  const tar = gunzipSync(archive);
  const entries: string[] = [];
  for (let at = 0; tar[at] !== 0; at += 512) {
    const field = (from: number, to: number): string =>
      new TextDecoder().decode(tar.subarray(at + from, at + to)).replace(/\0.*$/s, "");
    entries.push([
      field(0, 100),
      field(100, 108),
      field(108, 116),
      parseInt(field(136, 148), 8),
    ].join(" "));
    if (field(156, 157) === "0") at += 512;
  }
  assertEquals(entries, [
    "usr/ 0000755 0000000 1700000000",
    "usr/bin/ 0000755 0000000 1700000000",
    "usr/bin/a 0000644 0000000 1700000000",
    "usr/lib/ 0000755 0000000 1700000000",
    "usr/lib/m/ 0000755 0000000 1700000000",
    "usr/lib/m/b 0000755 0000000 1700000000",
  ]);
  // The header of gzip has a time too: none stands there.
  assertEquals([...archive.subarray(4, 8)], [0, 0, 0, 0]);
});

Deno.test("a build that does not know its time says how to tell it", async () => {
  const before = Deno.env.get("SOURCE_DATE_EPOCH");
  const folder = await Deno.makeTempDir();
  try {
    Deno.env.set("SOURCE_DATE_EPOCH", "12");
    assertEquals(await buildMoment(folder), 12);
    Deno.env.set("SOURCE_DATE_EPOCH", "now");
    await assertRejects(() => buildMoment(folder), Error, "seconds since 1970");
    Deno.env.delete("SOURCE_DATE_EPOCH");
    await assertRejects(() => buildMoment(folder), Error, "set SOURCE_DATE_EPOCH");
  } finally {
    if (before === undefined) Deno.env.delete("SOURCE_DATE_EPOCH");
    else Deno.env.set("SOURCE_DATE_EPOCH", before);
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a small file's size is not printed as 0.0 MiB", () => {
  const said = [0, 800, 1_024, 41_000, 2 ** 20 - 1, 2 ** 20, 74_800_000].map(sayBytes);
  assertEquals(said, ["0 B", "800 B", "1.0 KiB", "40.0 KiB", "1.0 MiB", "1.0 MiB", "71.3 MiB"]);
});
