/** The release of this checkout as `deno task build` makes it, and the same as an older version. */

import { takeLock } from "../../scripts/lab/lock.ts";
import type { LabInfo } from "../../scripts/lab/mod.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const SOURCES = ["src", "packaging", "scripts/build", "scripts/build.ts", "main.ts", "deno.json"];

/** A folder that is gone when it is disposed of. */
export interface OwnFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Gives the release in a folder of the caller's own: another test may add a version to its own, or
 * build anew. Builds when there is no release yet, or when a source is newer.
 */
export async function ownRelease(lab: LabInfo): Promise<OwnFolder> {
  await using _lock = await takeLock(`${lab.dir}/run/release.lock`, { what: "another build" });
  const built = await builtRelease(lab);
  const path = await Deno.makeTempDir({ dir: `${lab.dir}/run`, prefix: "release-" });
  for await (const { name } of Deno.readDir(built)) {
    await Deno.copyFile(`${built}/${name}`, `${path}/${name}`);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function builtRelease(lab: LabInfo): Promise<string> {
  const folder = `${lab.dir}/run/release`;
  const built = (await Deno.stat(`${folder}/SHA256SUMS`).catch(() => null))?.mtime?.getTime() ?? 0;
  const newest = Math.max(...await Promise.all(SOURCES.map((name) => newestChange(ROOT + name))));
  if (built < newest) {
    await runTool(Deno.execPath(), [
      ...["run", "-A", "--no-lock", "--config", `${ROOT}deno.json`],
      ...[`${ROOT}scripts/build.ts`, "--out", folder],
    ]);
  }
  return folder;
}

/**
 * Puts the package of a release beside it under another version, the program being the same; the
 * checksums name both.
 */
export async function addVersion(
  folder: string,
  versions: { readonly from: string; readonly to: string },
): Promise<void> {
  const name = (version: string): string => `monky-deployd_${version}_amd64.deb`;
  const tree = await Deno.makeTempDir({ prefix: "repack-" });
  try {
    await runTool("dpkg-deb", ["-R", `${folder}/${name(versions.from)}`, tree]);
    const control = await Deno.readTextFile(`${tree}/DEBIAN/control`);
    await Deno.writeTextFile(
      `${tree}/DEBIAN/control`,
      control.replace(/^Version: .*$/m, `Version: ${versions.to}`),
    );
    const target = `${folder}/${name(versions.to)}`;
    await runTool("dpkg-deb", ["--root-owner-group", "-Znone", "-b", tree, target]);
    const bytes = await Deno.readFile(target);
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    const list = await Deno.readTextFile(`${folder}/SHA256SUMS`);
    const others = list.split("\n").filter((line) => !line.endsWith(`  ${name(versions.to)}`));
    await Deno.writeTextFile(
      `${folder}/SHA256SUMS`,
      `${others.join("\n").trimEnd()}\n${sum}  ${name(versions.to)}\n`,
    );
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

async function newestChange(path: string): Promise<number> {
  const { isDirectory, mtime } = await Deno.stat(path);
  if (!isDirectory) return mtime?.getTime() ?? 0;
  let newest = 0;
  for await (const { name } of Deno.readDir(path)) {
    newest = Math.max(newest, await newestChange(`${path}/${name}`));
  }
  return newest;
}

async function runTool(program: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}
