/**
 * What other people's judges say of the package's parts: systemd of the units' sandbox, shellcheck of
 * the scripts. They are programs that may have to be installed first.
 */

import { assert } from "@std/assert";
import { installMissing, sayOnStderr } from "../../scripts/lab/mod.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const UNITS = ["monky-deployd", "monky-deployd-run", "monky-deployd-proxy"] as const;

async function output(program: string, args: readonly string[]): Promise<[boolean, string]> {
  const { success, stdout } = await new Deno.Command(program, {
    args: [...args],
    cwd: ROOT,
    env: { LC_ALL: "C.UTF-8" },
    stderr: "null",
  }).output();
  return [success, new TextDecoder().decode(stdout)];
}

Deno.test("systemd rates the exposure of each unit at 2.0 or less", async () => {
  await installMissing([{ program: "systemd-analyze", packages: ["systemd"] }], sayOnStderr);
  for (const unit of UNITS) {
    const path = `packaging/systemd/${unit}.service`;
    // Needs no running systemd.
    const args = ["security", "--offline=true", "--no-pager", path];
    const [, text] = await output("systemd-analyze", args);
    const rated = /Overall exposure level for \S+: (\d+\.\d+)/.exec(text)?.[1];
    assert(rated !== undefined, `no rating in:\n${text}`);
    assert(Number(rated) <= 2, `${path} is rated ${rated}`);
  }
});

Deno.test("shellcheck has nothing to say about the scripts that a package brings", async () => {
  await installMissing([{ program: "shellcheck", packages: ["shellcheck"] }], sayOnStderr);
  const files: string[] = [];
  for (const folder of ["launcher", "deb", "rpm"]) {
    for await (const { name } of Deno.readDir(`${ROOT}packaging/${folder}`)) {
      const path = `packaging/${folder}/${name}`;
      const text = await Deno.readTextFile(`${ROOT}${path}`);
      if (/^#!|^# shellcheck shell=/.test(text)) files.push(path);
    }
  }
  assert(files.length >= 12, files.join());
  const [clean, said] = await output("shellcheck", ["-x", "-P", ROOT, ...files]);
  assert(clean, said);
});
