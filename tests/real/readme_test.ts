/**
 * The README's way from a clone to a service that answers, typed line by line in a copy of the
 * project, over the lab that runs: only its first and last line, which start and stop a lab, are left
 * out. The copy has a port, an environment and a tenancy of its own.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { removeProject } from "../../scripts/box/project.ts";
import { labDir, readLab, runChecked } from "../../scripts/lab/mod.ts";
import { freeServerPort } from "../support/loopback.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** Gives the lines of the fenced block under a heading. */
function blockUnder(heading: string, page: string): readonly string[] {
  const [, after = ""] = page.split(`\n## ${heading}\n`);
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(after) ?? [];
  return block.trimEnd().split("\n");
}

/** Copies what a clone would hold: the files that are tracked, or would be. */
async function clone(target: string): Promise<void> {
  const script = 'git ls-files -z -co --exclude-standard | xargs -0 sh -c \'cp --parents -- "$@" ' +
    '"$0" 2>/dev/null; :\' "$1"';
  const { success } = await new Deno.Command("sh", {
    args: ["-c", script, "sh", target],
    cwd: ROOT,
  }).output();
  assert(success, "the project could not be copied");
}

/** Runs the block as one script of sh whose background jobs end with it; gives its output. */
async function typed(
  lines: readonly string[],
  { cwd, lab }: { readonly cwd: string; readonly lab: string },
): Promise<string> {
  const programs = `${cwd}/.programs`;
  await Deno.mkdir(programs);
  await Deno.symlink(Deno.execPath(), `${programs}/deno`);
  const script = ["set -e", ...lines].join("\n");
  const child = new Deno.Command("setsid", {
    args: ["--wait", "sh", "-c", `trap 'trap "" TERM; kill 0' EXIT\n${script}`],
    cwd,
    env: {
      MONKY_LAB_DIR: lab,
      NO_COLOR: "1",
      PATH: `${programs}:${Deno.env.get("PATH")}`,
      // npx and deno task say where the person stands, and these lines are typed elsewhere.
      INIT_CWD: cwd,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ code }, out, err] = await Promise.all([
    child.status,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  assertEquals(code, 0, `${out}\n${err}`);
  return `${out}\n${err}`;
}

Deno.test('the README\'s lines under "Run it from source" lead to a service that answers', async () => {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  const env = `env-t-${crypto.randomUUID().slice(0, 8)}`;
  const port = String(freeServerPort());
  const page = (await Deno.readTextFile(`${ROOT}README.md`))
    .replaceAll("env-dev", env).replaceAll("18080", port);
  const lines = blockUnder("Run it from source", page);
  assertMatch(lines.at(0) ?? "", /^deno task lab up /);
  assertEquals(lines.at(-1), "deno task lab down");

  const cwd = await Deno.makeTempDir({ prefix: "monky-readme-" });
  try {
    await clone(cwd);
    // A lab's folder of its own, so that no other tenancy of this machine is met in it.
    const ownLab = `${cwd}/.lab`;
    await Deno.mkdir(ownLab);
    await Deno.copyFile(`${labDir()}/lab.json`, `${ownLab}/lab.json`);
    const example = `${cwd}/examples/hello/docker-compose.yml`;
    const compose = await Deno.readTextFile(example);
    await Deno.writeTextFile(example, compose.replaceAll("18080", port));
    const said = await typed(lines.slice(1, -1), { cwd, lab: ownLab });
    assertStringIncludes(said, "hello $world");
    assertMatch(said, new RegExp(`${env}[\\s\\S]*web`));
  } finally {
    await removeProject(lab, `monky-${env}`);
    await runChecked(["rm", "-rf", cwd]);
  }
});
