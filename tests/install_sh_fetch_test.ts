/** How packaging/install.sh gets a release: the token, the checksums, and what each answer means. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startReleaseMirror } from "../scripts/lab/release_mirror.ts";
import { fakeGrant, type InstallWorld, makeInstallWorld } from "./support/install_world.ts";

const TOKEN = "gldt-t0ken";

async function proxyArgs(world: InstallWorld): Promise<readonly string[]> {
  const row = (port: string): string => `   0: 0100007F:${port} 00000000:0000 0A 00000000\n`;
  await Deno.writeTextFile(`${world.root}/proc/net/tcp`, row("480B") + row("4718"));
  const grant = await world.kit("bootstrap.jwt", fakeGrant());
  return ["--env", "env-qa-02", "--site", "cbs", "--transport", "proxy", "--bootstrap-file", grant];
}

Deno.test("GitLab gets the token as DEPLOY-TOKEN, Gitea as Authorization, from wherever it is given", async () => {
  await using world = await makeInstallWorld({ token: TOKEN });
  const args = await proxyArgs(world);
  const ways:
    readonly (readonly [readonly string[], Parameters<InstallWorld["install"]>[1], string])[] = [
      [["--token-file", await world.kit("token", `${TOKEN}\n`)], {}, "deploy-token"],
      [["--token-file", "-"], { stdin: `${TOKEN}\n` }, "deploy-token"],
      [["--token", TOKEN], {}, "deploy-token"],
      [[], { env: { MONKY_DEPLOYD_TOKEN: TOKEN } }, "deploy-token"],
      [["--token", TOKEN, "--source", "gitea"], {}, "authorization"],
    ];
  for (const [more, run, header] of ways) {
    world.mirror.requests.length = 0;
    const done = await world.install([...args, ...more], run);
    assertEquals(done.code, 0, done.stderr);
    assertEquals(world.mirror.requests.map(({ tokenHeader }) => tokenHeader), [header, header]);
    await world.install(["--uninstall", "--purge"]);
  }
});

Deno.test("each answer of the server is told with its meaning, and the same command goes on", async () => {
  await using world = await makeInstallWorld({ token: TOKEN });
  const args = [...await proxyArgs(world), "--token-file", await world.kit("token", TOKEN)];
  const answers: readonly (readonly [number, number, string])[] = [
    [
      401,
      1,
      "does not accept the token (it is missing, mistyped, expired, revoked, or lacks the scope",
    ],
    [403, 1, "may not read this project"],
    [404, 1, "there is no release 0.2.0 there, or the token may not see it"],
    [503, 75, "answers 503"],
    [418, 1, "answers 418"],
  ];
  for (const [status, code, says] of answers) {
    world.mirror.status = status;
    const done = await world.install(args);
    assertEquals(done.code, code, done.stderr);
    assertStringIncludes(done.stderr, says);
    assertStringIncludes(done.stderr, "not done: download package");
    assertStringIncludes(done.stderr, "next: ");
  }
  world.mirror.status = null;
  assertEquals((await world.install(args)).code, 0);
});

Deno.test("a wrong token is a 401, and an unreachable server is a matter of time", async () => {
  await using world = await makeInstallWorld({ token: TOKEN });
  const args = await proxyArgs(world);
  const done = await world.install([...args, "--token-file", await world.kit("token", "other")]);
  assertStringIncludes(done.stderr, "the server answers 401 for SHA256SUMS");
  const away = await world.run([...args, "--base-url", "http://127.0.0.1:1/x"]);
  assertEquals(away.code, 75, away.stderr);
  assertStringIncludes(away.stderr, "cannot be reached");
});

Deno.test("a file with another checksum is never installed, and a list without the file is told", async () => {
  await using world = await makeInstallWorld();
  const args = await proxyArgs(world);
  const deb = "monky-deployd_0.2.0_amd64.deb";
  const good = world.served.get(deb) ?? "";
  world.served.set(deb, "deb 6.6.6\n");
  const bad = await world.install(args);
  assertEquals(bad.code, 1);
  assertStringIncludes(bad.stderr, `checksum of ${deb} is`);
  assert((await world.state()).includes("package none"));
  world.served.set(deb, good);
  const sums = world.served.get("SHA256SUMS") ?? "";
  for (const page of ["<html>sign in</html>", "", sums.replace(/^.*deb\n/m, "")]) {
    world.served.set("SHA256SUMS", page);
    const done = await world.install(args);
    assertEquals(done.code, 1);
    assertStringIncludes(done.stderr, `SHA256SUMS of this release does not name ${deb}`);
  }
  world.served.set("SHA256SUMS", sums);
  assertEquals((await world.install(args)).code, 0);
});

Deno.test("a whole file of an earlier run is not fetched again, a cut one is", async () => {
  await using world = await makeInstallWorld();
  const args = await proxyArgs(world);
  const deb = "monky-deployd_0.2.0_amd64.deb";
  const folder = `${world.root}/var/cache/monky-deployd-install`;
  for (const [content, times] of [[world.served.get(deb) ?? "", 0], ["deb 0.2", 1]] as const) {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/${deb}`, content);
    world.mirror.requests.length = 0;
    assertEquals((await world.install(args)).code, 0);
    assertEquals(world.mirror.requests.filter(({ path }) => path === `/${deb}`).length, times);
    await world.install(["--uninstall", "--purge"]);
  }
});

Deno.test("a redirect to another server is followed without the token", async () => {
  await using world = await makeInstallWorld({ token: TOKEN });
  await using storage = startReleaseMirror({ files: world.served });
  world.mirror.redirect = storage.url;
  const args = [...await proxyArgs(world), "--token-file", await world.kit("token", TOKEN)];
  const done = await world.install(args);
  assertEquals(done.code, 0, done.stderr);
  assertEquals(storage.requests.length, 2);
  for (const { headers } of storage.requests) {
    assert(!headers.includes("deploy-token") && !headers.includes("authorization"));
  }
});
