/**
 * packaging/install.sh on a box made of a folder and stubs: what it does, what it leaves alone, and
 * how it takes itself away. tests/real/install_test.ts does the same on a real box.
 */

import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import {
  fakeEnrolment,
  fakeGrant,
  type InstallWorld,
  makeInstallWorld,
  releaseFiles,
} from "./support/install_world.ts";

/** Gives the arguments of a first installation, with its kit written into the world. */
async function kitArgs(world: InstallWorld, transport = "system"): Promise<readonly string[]> {
  const grant = await world.kit("bootstrap.jwt", fakeGrant());
  const jwt = await world.kit("enrol.jwt", fakeEnrolment());
  return [
    ...["--env", "env-qa-02", "--site", "cbs", "--transport", transport],
    ...["--bootstrap-file", grant, "--enrol-jwt", jwt],
  ];
}

/** Gives the lines of a state that tell of one place. */
function linesOf(state: readonly string[], place: string): readonly string[] {
  return state.filter((line) => line.startsWith(place));
}

for (const shell of ["dash", "bash"]) {
  Deno.test(`a bare box gets all it needs, and a second run changes nothing (${shell})`, async () => {
    await using world = await makeInstallWorld();
    const args = await kitArgs(world);
    const first = await world.install(args, { shell: [shell] });
    assertEquals(first.code, 0, first.stderr);
    const state = await world.state();
    assertEquals(linesOf(state, "root/etc/monky-deployd/config"), [
      `root/etc/monky-deployd/config.yaml 640 ${
        JSON.stringify(
          "# Every key: config.example.yaml in /usr/share/doc/monky-deployd, docs/CONFIG.md\n" +
            "env_id: env-qa-02\nsite: cbs\ntransport: system\n",
        )
      }`,
    ]);
    assert(linesOf(state, "root/etc/monky-deployd/bootstrap.jwt 600 ").length === 1);
    assert(
      linesOf(state, "root/opt/openziti/etc/identities/monky-host.env-qa-02.json 660").length === 1,
    );
    assert(state.includes(`active/monky-deployd.timer 600 ""`));
    assert(state.includes("package installed 0.2.0\n"));
    assertEquals(linesOf(state, "root/var/cache/monky-deployd-install"), []);
    assertStringIncludes(first.stderr, "step 14/14 doctor");

    world.mirror.requests.length = 0;
    const second = await world.install(args, { shell: [shell] });
    assertEquals([second.code, await world.state()], [0, state], second.stderr);
    assertEquals(world.mirror.requests, []);
  });
}

Deno.test("transport sdk runs the loop and gets its addon, proxy gets ziti and its unit", async () => {
  await using sdk = await makeInstallWorld();
  const first = await sdk.install(await kitArgs(sdk, "sdk"));
  assertEquals(first.code, 0, first.stderr);
  const state = await sdk.state();
  assert(state.includes(`active/monky-deployd-run.service 600 ""`));
  assert(!state.includes(`enabled/monky-deployd.timer 600 ""`));
  assertEquals(
    linesOf(state, "root/usr/lib/monky-deployd/ziti-bridge/node_modules/@openziti/z").length,
    1,
  );

  await using proxy = await makeInstallWorld();
  const other = await proxy.install(await kitArgs(proxy, "proxy"));
  assertEquals(other.code, 0, other.stderr);
  const enabled = linesOf(await proxy.state(), "enabled/");
  assertEquals(enabled, [
    `enabled/monky-deployd-proxy.service 600 ""`,
    `enabled/monky-deployd.timer 600 ""`,
  ]);
});

Deno.test("where both ports of the proxy answer already, no tunneler is installed", async () => {
  await using world = await makeInstallWorld();
  const row = (port: string): string =>
    `   0: 0100007F:${port} 00000000:0000 0A 00000000:00000000\n`;
  await Deno.writeTextFile(`${world.root}/proc/net/tcp`, row("480B") + row("4718"));
  const grant = await world.kit("bootstrap.jwt", fakeGrant());
  const args = ["--env", "env-qa-02", "--site", "cbs", "--transport", "proxy"];
  const done = await world.install([...args, "--bootstrap-file", grant]);
  assertEquals(done.code, 0, done.stderr);
  assertEquals((await world.calls()).filter((word) => word === "openziti"), []);
  assertEquals(linesOf(await world.state(), "enabled/"), [`enabled/monky-deployd.timer 600 ""`]);
});

Deno.test("--dry-run names every step and changes nothing, on a bare box and on a full one", async () => {
  await using world = await makeInstallWorld();
  const args = await kitArgs(world);
  const before = await world.state();
  const dry = await world.install([...args, "--dry-run"]);
  assertEquals([dry.code, await world.state()], [0, before], dry.stderr);
  assertStringIncludes(dry.stderr, "would install monky-deployd 0.2.0");
  assertStringIncludes(dry.stderr, "would enrol the identity");
  assertEquals(world.mirror.requests, []);
  await world.install(args);
  const full = await world.state();
  for (const more of [[], ["--version", "0.3.0"]]) {
    assertEquals((await world.install([...args, ...more, "--dry-run"])).code, 0);
  }
  assertEquals((await world.install(["--uninstall", "--purge", "--dry-run"])).code, 0);
  assertEquals(await world.state(), full);
});

Deno.test("an operator's config keeps its lines; only what options name is changed, and kept beside", async () => {
  await using world = await makeInstallWorld();
  await world.install(await kitArgs(world));
  const config = `${world.root}/etc/monky-deployd/config.yaml`;
  const mine = "# mine\nsite: 'cbs' # here\nenv_id: env-qa-02\ntransport: system # tun\n" +
    "docker:\n    # big disk\n    data_root: /old\n    disk_factor: 2\nsettle_s: 9\n";
  await Deno.writeTextFile(config, mine);
  const kept = await world.install(await kitArgs(world));
  assertEquals([kept.code, await Deno.readTextFile(config)], [0, mine], kept.stderr);

  const ca = await world.kit(
    "ca.pem",
    "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n",
  );
  const change = ["--docker-data-root", world.dir, "--bao-ca", ca];
  const done = await world.install([...await kitArgs(world), ...change]);
  assertEquals(done.code, 0, done.stderr);
  assertEquals(
    await Deno.readTextFile(config),
    mine.replace("data_root: /old", `data_root: ${world.dir}`) +
      `bao:\n  ca: ${world.root}/etc/monky-deployd/openbao-ca.pem\n`,
  );
  assertEquals(await Deno.readTextFile(`${config}.before`), mine);
  assertStringIncludes(done.stderr, "docker.data_root bao.ca");
});

Deno.test("a config that lines cannot change, or that the agent refuses, stays as it was", async () => {
  await using world = await makeInstallWorld();
  await world.install(await kitArgs(world));
  const config = `${world.root}/etc/monky-deployd/config.yaml`;
  const flow = "env_id: env-qa-02\nsite: cbs\ntransport: system\ndocker: {data_root: /old}\n";
  await Deno.writeTextFile(config, flow);
  const args = await kitArgs(world);
  const done = await world.install([...args, "--docker-data-root", world.dir]);
  assertEquals([done.code, await Deno.readTextFile(config)], [1, flow]);
  assertStringIncludes(done.stderr, "does not know how to change; it is as it was");
  assertStringIncludes(done.stderr, "not done: config grant units first_tick doctor");
  const refused = await world.install(args.map((word) => word === "cbs" ? "refused" : word));
  assertEquals([refused.code, await Deno.readTextFile(config)], [1, flow]);
  assertStringIncludes(refused.stderr, "the agent does not accept the config");
});

Deno.test("a newer kit upgrades, an older script does not go back unless it is told to", async () => {
  await using world = await makeInstallWorld();
  const args = await kitArgs(world);
  await world.install(args);
  for (const [name, content] of await releaseFiles("0.3.0")) world.served.set(name, content);
  const up = await world.install([...args, "--version", "0.3.0"]);
  assertEquals(up.code, 0, up.stderr);
  assertStringIncludes(up.stderr, "upgrade monky-deployd from 0.2.0 to 0.3.0");
  for (const [name, content] of await releaseFiles()) world.served.set(name, content);
  const back = await world.install(args);
  assertEquals(back.code, 1);
  assertStringIncludes(back.stderr, "0.3.0 is installed, which is newer than this script's 0.2.0");
  assertEquals((await world.install([...args, "--version", "0.2.0"])).code, 0);
});

Deno.test("a grant that was used is not laid down again, a fresh one is", async () => {
  await using world = await makeInstallWorld();
  const args = await kitArgs(world);
  await world.install(args);
  const grant = `${world.root}/etc/monky-deployd/bootstrap.jwt`;
  await Deno.writeTextFile(`${world.root}/var/lib/monky-deployd/session.json`, "{}");
  await Deno.remove(grant);
  assertEquals((await world.install(args)).code, 0);
  assert(!await Deno.stat(grant).then(() => true, () => false));
  await world.kit("bootstrap.jwt", fakeGrant({ jti: "fresh" }));
  assertEquals((await world.install(args)).code, 0);
  assertEquals(
    await Deno.readTextFile(grant),
    await Deno.readTextFile(`${world.dir}/kit/bootstrap.jwt`),
  );
});

Deno.test("--uninstall leaves config and state, --purge takes them and the right to the identity", async () => {
  await using world = await makeInstallWorld();
  const args = await kitArgs(world);
  await world.install(args);
  const before = await world.state();
  const kept = await world.install(["--uninstall"]);
  assertEquals(kept.code, 0, kept.stderr);
  const after = await world.state();
  assertEquals(linesOf(after, "root/etc/monky-deployd"), linesOf(before, "root/etc/monky-deployd"));
  assertEquals(linesOf(after, "enabled/monky"), []);
  assertEquals((await world.install(["--uninstall"])).code, 0, "twice is no fault");
  assertEquals((await world.install(args)).code, 0);
  assertNotEquals(linesOf(await world.state(), "enabled/monky"), []);
  await world.calls();
  const purged = await world.install(["--uninstall", "--purge"]);
  assertEquals(purged.code, 0, purged.stderr);
  const left = await world.state();
  assertEquals(linesOf(left, "root/etc/monky-deployd").concat(linesOf(left, "root/var/lib")), [
    "root/var/lib/ 755",
  ]);
  assertEquals(left.filter((line) => line.includes("user:monky-deployd")), []);
  assert(linesOf(left, "root/opt/openziti/etc/identities/monky-host").length === 1, "not ours");
  const down = (await world.calls()).join(" ");
  assertStringIncludes(down, "docker-compose -p monky-env-qa-02 down");
});

Deno.test("a doctor with complaints ends in 1, and what is installed is said to be installed", async () => {
  await using world = await makeInstallWorld();
  const done = await world.install(await kitArgs(world), { env: { FAKE_DOCTOR: "1" } });
  assertEquals(done.code, 1);
  assertStringIncludes(done.stderr, "is installed, but the doctor found faults");
  assertStringIncludes(done.stderr, "then run: monky-deployd doctor");
});

Deno.test("--laptop refuses root, and a user whom the Docker Engine does not know", async () => {
  await using world = await makeInstallWorld();
  const grant = await world.kit("bootstrap.jwt", fakeGrant());
  const args = ["--laptop", "--env", "env-qa-02", "--site", "cbs", "--transport", "proxy"];
  const before = await world.state();
  const root = await world.install([...args, "--bootstrap-file", grant]);
  assertEquals([root.code, await world.state()], [1, before]);
  assertStringIncludes(root.stderr, "run it as yourself, without sudo");
  await Deno.remove(`${world.root}/var/run/docker.sock`);
  const dev = { env: { FAKE_UID: "1000" } };
  const none = await world.install([...args, "--bootstrap-file", grant], dev);
  assertEquals(none.code, 1);
  assertStringIncludes(none.stderr, "there is no Docker Engine");
});
