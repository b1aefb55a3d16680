/**
 * A secret that packaging/install.sh is given appears in nothing that others can read: output, trace,
 * arguments and environment of each program that it starts, files with loose modes.
 */

import { assert, assertEquals } from "@std/assert";
import { canary, latin1, needles } from "./support/canary.ts";
import {
  fakeEnrolment,
  fakeGrant,
  type InstallWorld,
  makeInstallWorld,
} from "./support/install_world.ts";

const TOKEN = canary("gldt-@");
const GRANT_ID = canary("@");
const GRANT_SIGNATURE = canary("@");
const JWT_ID = canary("@");
const JWT_SIGNATURE = canary("@");
const NEEDLES = needles([TOKEN, GRANT_ID, GRANT_SIGNATURE, JWT_ID, JWT_SIGNATURE]);

/** Holds that a text gives no canary away. */
function assertClean(text: string, where: string): void {
  const found = NEEDLES.filter((needle) => latin1(text).includes(needle));
  assertEquals(found.length, 0, `${where} gives a secret away`);
}

/** Gives the files below a folder that others than their owner may read. */
async function* looseFiles(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* looseFiles(path);
    if (entry.isFile && (((await Deno.stat(path)).mode ?? 0) & 0o077) !== 0) yield path;
  }
}

/** Gives the kit's arguments; the token comes in a file, as it should. */
async function kitArgs(world: InstallWorld): Promise<readonly string[]> {
  const grant = fakeGrant({ jti: GRANT_ID.value }, GRANT_SIGNATURE.value);
  const jwt = fakeEnrolment({ jti: JWT_ID.value }, JWT_SIGNATURE.value);
  return [
    ...["--env", "env-qa-02", "--site", "cbs", "--transport", "system"],
    ...["--bootstrap-file", await world.kit("bootstrap.jwt", grant)],
    ...["--enrol-jwt", await world.kit("enrol.jwt", jwt)],
  ];
}

/** Holds that what the run left and told is clean, but for the files that carry the secret. */
async function assertWorldIsClean(world: InstallWorld, output: string): Promise<void> {
  assertClean(output, "output");
  const argv = await world.calls();
  assert(argv.includes("curl") && argv.includes("sed"), "the stubs saw the tools");
  assertClean(argv.join("\n"), "an argument");
  assertClean(await Deno.readTextFile(`${world.dir}/environ`), "an environment");
  for await (const path of looseFiles(world.root)) {
    assertClean(await Deno.readTextFile(path), path);
  }
}

for (const shell of [["dash"], ["dash", "-x"], ["bash", "-x"], ["bash", "-xv"]]) {
  Deno.test(`no secret is told by ${shell.join(" ")}, in any way that the token is given`, async () => {
    for (const way of ["file", "option", "environment"]) {
      await using world = await makeInstallWorld({ token: TOKEN.value });
      await world.watchTools();
      const more = way === "file"
        ? ["--token-file", await world.kit("token", `${TOKEN.value}\n`)]
        : way === "option"
        ? ["--token", TOKEN.value]
        : [];
      const done = await world.install([...await kitArgs(world), ...more], {
        shell,
        env: { WATCH: "1", ...way === "environment" ? { MONKY_DEPLOYD_TOKEN: TOKEN.value } : {} },
      });
      assertEquals(done.code, 0, done.stderr);
      if (shell[1] === "-x") assert(done.stderr.includes("\n+ begin_step"), "the steps are traced");
      await assertWorldIsClean(world, done.stdout + done.stderr);
    }
  });
}

Deno.test("no secret is told when a run fails: wrong option, 401, enrolment that is refused", async () => {
  await using world = await makeInstallWorld({ token: TOKEN.value });
  await world.watchTools();
  const run = { shell: ["sh", "-x"], env: { WATCH: "1" } };
  const args = await kitArgs(world);
  const outputs: string[] = [];
  for (
    const words of [
      ["--tokn", TOKEN.value],
      [`--${TOKEN.value}`],
      ["--env", TOKEN.value],
      ["--version", TOKEN.value],
      ["--base-url", `https://u:${TOKEN.value}@mirror/x`],
    ]
  ) {
    const done = await world.install([...args, ...words], run);
    assertEquals(done.code, 64);
    outputs.push(done.stderr);
  }
  world.mirror.status = 401;
  const token = ["--token-file", await world.kit("token", TOKEN.value)];
  const refused = await world.install([...args, ...token], run);
  assertEquals(refused.code, 1);
  outputs.push(refused.stderr);
  world.mirror.status = null;
  // A token that was used before: the tool's own message quotes it.
  await world.install([...args, ...token], run);
  await world.install(["--uninstall", "--purge"], run);
  await Deno.remove(`${world.root}/opt`, { recursive: true });
  const again = await world.install([...args, ...token], run);
  assertEquals(again.code, 1, again.stderr);
  assert(again.stderr.includes("[token]"), again.stderr);
  outputs.push(again.stderr);
  await assertWorldIsClean(world, outputs.join("\n"));
});

Deno.test("after a run nothing of the token is left on the box, even when the run was killed and repeated", async () => {
  await using world = await makeInstallWorld({ token: TOKEN.value });
  const args = [...await kitArgs(world), "--token-file", await world.kit("token", TOKEN.value)];
  const header = `${world.root}/var/cache/monky-deployd-install/header`;
  world.mirror.status = 404;
  await world.install(args);
  assert(!await Deno.stat(header).then(() => true, () => false), "a failed run removes it");
  world.mirror.status = null;
  await world.install(args);
  for await (const entry of Deno.readDir(`${world.root}/var/cache`)) {
    assert(entry.name === "", entry.name);
  }
});
