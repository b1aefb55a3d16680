/**
 * packaging/install.sh killed with its children after each thing that it changes, and run again with
 * the same command: the box ends as if nothing had happened.
 */

import { assert, assertEquals } from "@std/assert";
import {
  fakeEnrolment,
  fakeGrant,
  type InstallWorld,
  makeInstallWorld,
} from "./support/install_world.ts";

const KILLED = 128 + 9;
/** Runs side by side; each is a shell and short children. */
const WORKERS = 4;

/** Gives what is equal on every box: folder names, times and sums of the kit differ. */
async function comparable(world: InstallWorld): Promise<readonly string[]> {
  const folder = world.dir.replaceAll("/", "_");
  return (await world.state()).map((line) =>
    line.replaceAll(world.dir, "").replaceAll(folder, "")
      .replace(/(bootstrap\.(?:jwt|sha256) \d+) .*/, "$1")
  ).sort();
}

async function prepare(
  transport: string,
): Promise<{ world: InstallWorld; args: readonly string[] }> {
  const world = await makeInstallWorld({ token: "token-of-the-kit" });
  const args = [
    ...["--env", "env-qa-02", "--site", "cbs", "--transport", transport],
    ...["--bootstrap-file", await world.kit("bootstrap.jwt", fakeGrant())],
    ...["--enrol-jwt", await world.kit("enrol.jwt", fakeEnrolment())],
    ...["--bao-ca", await world.kit("ca.pem", "-----BEGIN CERTIFICATE-----\n")],
    ...["--token-file", await world.kit("token", "token-of-the-kit\n")],
  ];
  return { world, args };
}

/** Gives how many changes a run makes, with no kill in it. */
async function countChanges(
  world: InstallWorld,
  run: () => Promise<{ code: number; stderr: string }>,
): Promise<number> {
  const done = await run();
  assertEquals(done.code, 0, done.stderr);
  return (await Deno.readTextFile(`${world.dir}/changes`)).length;
}

/** Runs the jobs for 1..count, some at a time; throws the first failure when all have ended. */
async function forEachPoint(count: number, job: (point: number) => Promise<void>): Promise<void> {
  let next = 1;
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next <= count && failures.length === 0) {
      await job(next++).catch((failure) => failures.push(failure));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  if (failures.length > 0) throw failures[0];
}

const NEVER = { KILL_AT: "100000" };

Deno.test("killed after any change, the installer ends right when it is run again", async () => {
  const { world: whole, args } = await prepare("sdk");
  const count = await countChanges(whole, () => whole.install(args, { env: NEVER }));
  const expected = await comparable(whole);
  await whole[Symbol.asyncDispose]();
  assert(count > 30, `only ${count} changes were seen`);
  await forEachPoint(count, async (point) => {
    const box = await prepare("sdk");
    await using world = box.world;
    const cut = await world.install(box.args, { env: { KILL_AT: String(point) } });
    assertEquals(cut.code, KILLED, `at change ${point}: ${cut.stderr}`);
    const again = await world.install(box.args);
    assertEquals(
      again.code,
      0,
      `after a kill at change ${point}:\n${cut.stderr}\nand then:\n${again.stderr}`,
    );
    assertEquals(await comparable(world), expected, `after a kill at change ${point}`);
  });
});

Deno.test("killed after any change, --uninstall --purge ends right when it is run again", async () => {
  const { world: whole, args } = await prepare("system");
  await whole.install(args);
  const purge = ["--uninstall", "--purge"];
  const count = await countChanges(whole, () => whole.install(purge, { env: NEVER }));
  const expected = await comparable(whole);
  await whole[Symbol.asyncDispose]();
  await forEachPoint(count, async (point) => {
    const box = await prepare("system");
    await using world = box.world;
    await world.install(box.args);
    const cut = await world.install(purge, { env: { KILL_AT: String(point) } });
    assertEquals(cut.code, KILLED, cut.stderr);
    const again = await world.install(purge);
    assertEquals(again.code, 0, again.stderr);
    assertEquals(await comparable(world), expected, `after a kill at change ${point}`);
  });
});
