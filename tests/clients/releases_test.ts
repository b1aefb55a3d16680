/** The releases on a real disk: what the agent did not make is neither followed nor removed. */

import { assertEquals, assertRejects } from "@std/assert";
import { createProjectFolder, type ProjectFolder } from "../../src/clients/project_folder.ts";
import { createReleases, type Releases } from "../../src/clients/releases.ts";
import { AgentError } from "../../src/errors.ts";
import { createDigest } from "../../src/io/digest.ts";
import { createFiles } from "../../src/io/files.ts";
import { createRandom } from "../../src/io/random.ts";
import type { Bundle, BundleFile } from "../../src/model/bundle.ts";
import { bundleListing } from "../../src/model/bundle_listing.ts";

const SHA = "a".repeat(64);
const UUID = "0b8f2f4e-1111-4222-8333-444455556666";

function file(path: string, text = path): BundleFile {
  return { path, content: new TextEncoder().encode(text), mode: 0o644 };
}

/** A bundle as far as staging looks at it. */
function bundleOf(sha: string, files: readonly BundleFile[]): Bundle {
  return {
    ...{ sha, serial: null, files, compose: "", template: null, signature: null },
    manifest: { entries: [], registries: [] },
    meta: {
      ...{ envId: null, serial: null, createdAt: null, images: [] },
      ...{ allowRollback: false, minVersion: null },
    },
  };
}

async function namesIn(dir: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(dir));
  return entries.map(({ name }) => name).sort();
}

/** What the agent keeps below a deploy folder. */
interface Deployed {
  readonly releases: Releases;
  readonly project: ProjectFolder;
}

async function onDisk(run: (deployed: Deployed, dir: string) => Promise<void>): Promise<void> {
  const top = await Deno.makeTempDir();
  try {
    const dir = `${top}/deploy`;
    await Deno.mkdir(`${dir}/releases/${SHA}`, { recursive: true });
    // Somebody else's, and never to be touched.
    await Deno.mkdir(`${top}/other/inner`, { recursive: true });
    for (const name of ["mine", "inner/mine"]) await Deno.writeTextFile(`${top}/other/${name}`, "");
    const ports = { files: createFiles(), random: createRandom(), digest: createDigest() };
    const deployed = {
      releases: createReleases(ports, dir),
      project: createProjectFolder(ports, dir),
    };
    await run(deployed, dir);
    assertEquals(await namesIn(`${top}/other`), ["inner", "mine"]);
    assertEquals(await namesIn(`${top}/other/inner`), ["mine"]);
  } finally {
    await Deno.remove(top, { recursive: true });
  }
}

Deno.test("field: a project that is a link or a file becomes a folder, and what it led to stays as it was", async () => {
  await onDisk(async ({ project }, dir) => {
    await Deno.symlink("../other", `${dir}/project`);
    await project.sync([file("docker-compose.yml"), file("inner/a")]);
    assertEquals((await Deno.lstat(`${dir}/project`)).isDirectory, true);
    assertEquals(await namesIn(`${dir}/project`), ["docker-compose.yml", "inner"]);
    await Deno.remove(`${dir}/project`, { recursive: true });
    await Deno.writeTextFile(`${dir}/project`, "");
    await project.sync([file("docker-compose.yml")]);
    assertEquals(await namesIn(`${dir}/project`), ["docker-compose.yml"]);
  });
});

Deno.test("field: a sweep takes what killed ticks left, and nothing that somebody else put there", async () => {
  await onDisk(async ({ releases }, dir) => {
    const own = [`.staging-${UUID}`, `.replaced-${UUID}`, `.current.${UUID}.tmp`];
    for (const name of [...own, "backup", "20260101"]) {
      await Deno.mkdir(`${dir}/releases/${name}/inner`, { recursive: true });
    }
    await Deno.symlink("../../other", `${dir}/releases/linked`);
    assertEquals([...await releases.sweep()].sort(), own.map((name) => `releases/${name}`).sort());
    assertEquals(await namesIn(`${dir}/releases`), ["20260101", SHA, "backup", "linked"]);
  });
});

Deno.test("field: removing every release keeps what is none, and the folder as a mark of the agent's", async () => {
  await onDisk(async ({ releases }, dir) => {
    await Deno.mkdir(`${dir}/releases/backup`);
    await releases.removeAll();
    assertEquals(await namesIn(`${dir}/releases`), ["backup"]);
    await releases.removeAll();
    assertEquals(await namesIn(dir), ["releases"]);
  });
});

Deno.test("field: a project folder that was there before any release is not the agent's to empty", async () => {
  await onDisk(async ({ project }, dir) => {
    await Deno.mkdir(`${dir}/project`);
    await Deno.writeTextFile(`${dir}/project/thesis.txt`, "");
    await project.refuseTaken();
    await Deno.remove(`${dir}/releases`, { recursive: true });
    // Releases that somebody removed, to make room, do not make the folder a stranger's.
    await Deno.writeTextFile(`${dir}/current`, "");
    await project.refuseTaken();
    await Deno.remove(`${dir}/current`);
    const error = await assertRejects(() => project.refuseTaken(), AgentError);
    assertEquals(error.code, "PROJECT_FOLDER_TAKEN");
    await Deno.remove(`${dir}/project/thesis.txt`);
    await project.refuseTaken();
  });
});

Deno.test("field: what is missing of a project is brought back, and the rest stays as services left it", async () => {
  await onDisk(async ({ project }, dir) => {
    const files = [file("docker-compose.yml"), file("conf/a"), file("conf/b")];
    await project.bringMissing(files);
    assertEquals(await namesIn(`${dir}/project`), ["conf", "docker-compose.yml"]);
    await Deno.remove(`${dir}/project/conf/a`);
    await Deno.writeTextFile(`${dir}/project/conf/b`, "written by a service");
    await project.bringMissing(files);
    assertEquals(await Deno.readTextFile(`${dir}/project/conf/a`), "conf/a");
    assertEquals(await Deno.readTextFile(`${dir}/project/conf/b`), "written by a service");
    await Deno.remove(`${dir}/project/conf`, { recursive: true });
    await Deno.symlink("../../other", `${dir}/project/conf`);
    await project.bringMissing(files);
    assertEquals((await Deno.lstat(`${dir}/project/conf`)).isSymlink, true);
  });
});

Deno.test("field: a release is intact as long as its files are those of its sha, whatever became of them", async () => {
  await onDisk(async ({ releases }, dir) => {
    const files = [file("conf/a"), file("docker-compose.yml", "services: {}\n")];
    const digest = createDigest();
    const listing = await bundleListing(files, digest.sha256);
    const sha = await digest.sha256(new TextEncoder().encode(listing));
    const root = `${dir}/releases/${sha}`;
    const stage = (): Promise<void> => releases.stage(bundleOf(sha, files));
    await stage();
    assertEquals(await releases.isIntact(sha), false, "nothing says how it is labelled yet");
    await releases.writeOwn(sha, releases.paths(sha).override, "{}\n");
    await Deno.writeTextFile(releases.paths(sha).env, "A=1\n");
    assertEquals(await releases.isIntact(sha), true);
    const damages: Readonly<Record<string, () => Promise<void>>> = {
      "cut short": () => Deno.truncate(`${root}/docker-compose.yml`),
      "edited": () => Deno.writeTextFile(`${root}/conf/a`, "b"),
      "gone": () => Deno.remove(`${root}/conf`, { recursive: true }),
      "one more": () => Deno.writeTextFile(`${root}/docker-compose.yml~`, ""),
      "a link": async () => {
        await Deno.rename(`${root}/conf/a`, `${dir}/a`);
        await Deno.symlink(`${dir}/a`, `${root}/conf/a`);
      },
    };
    for (const [name, damage] of Object.entries(damages)) {
      await damage();
      assertEquals(await releases.isIntact(sha), false, name);
      await stage();
      await releases.writeOwn(sha, releases.paths(sha).override, "{}\n");
      assertEquals(await releases.isIntact(sha), true, `${name}, staged again`);
    }
  });
});
