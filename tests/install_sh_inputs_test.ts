/** Wrong inputs of packaging/install.sh: each has a message of its own, exits 64, and changes nothing. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  fakeEnrolment,
  fakeGrant,
  fakeJwt,
  inAnHour,
  makeInstallWorld,
} from "./support/install_world.ts";

/** Options that are right; a case changes some. `null` takes an option away. */
type Options = Readonly<Record<string, string | null>>;

interface Case {
  readonly options?: Options;
  /** Words after the options. */
  readonly words?: readonly string[];
  /** Files of the kit, by name. */
  readonly kit?: Readonly<Record<string, string>>;
  readonly says: string;
}

const PAST = Math.floor(Date.now() / 1000) - 60;
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\n";

const CASES: Readonly<Record<string, Case>> = {
  "an unknown option": { words: ["--envv", "x"], says: "there is no option --envv" },
  "a word without an option": { words: ["surplus"], says: "where an option is expected" },
  "an option without its value": { words: ["--bao-ca"], says: "--bao-ca needs a value" },
  "an option in the place of a value": {
    words: ["--bao-ca", "--laptop"],
    says: "--bao-ca needs a value, and an option follows it",
  },
  "a value for a switch": { words: ["--laptop=yes"], says: "--laptop takes no value" },
  "an option twice": { words: ["--site", "x"], says: "--site is given twice" },
  "no env": { options: { env: null }, says: "--env is missing" },
  "an env with a slash": { options: { env: "env/x" }, says: "--env may hold a-z, 0-9 and - alone" },
  "an env that is too long": { options: { env: "e".repeat(64) }, says: "longer than 63" },
  "no site": { options: { site: null }, says: "--site is missing" },
  "a site in capitals": { options: { site: "CBS" }, says: "--site may hold" },
  "an unknown transport": { options: { transport: "vpn" }, says: "none of sdk, proxy, system" },
  "an unknown source": { options: { source: "github" }, says: "neither gitlab nor gitea" },
  "a version that is none": { options: { version: "latest" }, says: "--version is no version" },
  "half a version": { options: { version: "0.2" }, says: "--version is not whole" },
  "no token for the private project": {
    options: { "base-url": null },
    says: "--token-file is missing",
  },
  "two tokens": {
    options: { token: "a", "token-file": "KIT/token" },
    kit: { token: "b\n" },
    says: "--token and --token-file are both given",
  },
  "a token file that is not there": {
    options: { "token-file": "KIT/none" },
    says: "there is no file",
  },
  "an empty token file": { options: { "token-file": "KIT/e" }, kit: { e: "" }, says: "is empty" },
  "a token file of several lines": {
    options: { "token-file": "KIT/e" },
    kit: { e: "one\ntwo\n" },
    says: "characters that no deploy token has",
  },
  "no token on standard input": {
    options: { "token-file": "-" },
    says: "standard input holds no token",
  },
  "no grant on a box that has none": {
    options: { "bootstrap-file": null },
    says: "--bootstrap-file is missing",
  },
  "a grant file that is not there": {
    options: { "bootstrap-file": "KIT/none" },
    says: "--bootstrap-file: there is no file",
  },
  "a grant that is no JWT": { kit: { "b.jwt": "hello\n" }, says: "holds no grant" },
  "a grant for another box": {
    kit: { "b.jwt": fakeGrant({ env_id: "env-x" }) },
    says: "for another environment",
  },
  "a grant that is over": {
    kit: { "b.jwt": fakeGrant({ exp: PAST }) },
    says: "the grant has expired",
  },
  "an enrolment token as grant": {
    kit: { "b.jwt": fakeEnrolment() },
    says: "which goes to --enrol-jwt",
  },
  "another token as grant": {
    kit: { "b.jwt": fakeJwt({ exp: inAnHour() }) },
    says: "another kind than a deploy grant",
  },
  "an enrolment token that is not there": {
    options: { "enrol-jwt": "KIT/none" },
    says: "--enrol-jwt: there is no file",
  },
  "an enrolment token that is no JWT": { kit: { "e.jwt": "{}" }, says: "holds no enrolment token" },
  "an enrolment token that is over": {
    kit: { "e.jwt": fakeEnrolment({ exp: PAST }) },
    says: "enrolment token has expired",
  },
  "a grant as enrolment token": {
    kit: { "e.jwt": fakeGrant() },
    says: "is a grant, which goes to --bootstrap-file",
  },
  "a base address without scheme": {
    options: { "base-url": "mirror/x" },
    says: "does not begin with https://",
  },
  "a base address with an account": {
    options: { "base-url": "https://u:p@h/x" },
    says: "no query, no account",
  },
  "a token over plain http": {
    options: { "base-url": "http://mirror.example/x", token: "t" },
    says: "in clear text over http",
  },
  "a relative data root": { options: { "docker-data-root": "data" }, says: "no absolute path" },
  "a data root that is no folder": {
    options: { "docker-data-root": "/none" },
    says: "/none is no folder",
  },
  "a data root with a space": {
    options: { "docker-data-root": "/a b" },
    says: "holds characters other than",
  },
  "a CA that is not there": {
    options: { "bao-ca": "KIT/none" },
    says: "--bao-ca: there is no file",
  },
  "a CA that is no PEM": {
    options: { "bao-ca": "KIT/ca" },
    kit: { ca: "x" },
    says: "holds no PEM certificate",
  },
  "a CA with its private key": {
    options: { "bao-ca": "KIT/ca" },
    kit: { ca: `${CERTIFICATE}-----BEGIN PRIVATE KEY-----\n` },
    says: "holds a private key",
  },
  "--purge alone": { words: ["--purge"], says: "--purge is only for --uninstall" },
  "--uninstall with what it has no use for": {
    words: ["--uninstall"],
    says: "--site has no meaning with --uninstall",
  },
};

const RIGHT: Options = {
  env: "env-qa-02",
  site: "cbs",
  transport: "system",
  "base-url": "http://127.0.0.1:9/none",
  "bootstrap-file": "KIT/b.jwt",
  "enrol-jwt": "KIT/e.jwt",
};

Deno.test("each wrong input has its own message, and nothing is half done", async (t) => {
  await using world = await makeInstallWorld();
  const before = await world.state();
  const messages = new Map<string, string>();
  for (const [name, { options = {}, words = [], kit = {}, says }] of Object.entries(CASES)) {
    await t.step(name, async () => {
      const files = { "b.jwt": fakeGrant(), "e.jwt": fakeEnrolment(), ...kit };
      for (const [file, content] of Object.entries(files)) await world.kit(file, content);
      const given = Object.entries({ ...RIGHT, ...options }).flatMap(([option, value]) =>
        value === null ? [] : [`--${option}`, value.replace("KIT", `${world.dir}/kit`)]
      );
      await world.calls();
      const done = await world.run([...given, ...words]);
      assertEquals([done.code, await world.state()], [64, before], done.stderr);
      const wrongs = done.stderr.split("\n").filter((line) => line.includes("WRONG:"));
      const first = wrongs.find((line) => line.includes(says));
      assert(first !== undefined, done.stderr);
      assertEquals(
        [...messages].find(([, message]) => message === first),
        undefined,
        "not its own message",
      );
      messages.set(name, first);
      assertStringIncludes(done.stderr, "nothing was done");
      const programs = (await world.calls()).filter((word) =>
        ["apt-get", "systemctl", "curl", "mv"].includes(word)
      );
      assertEquals(programs, []);
    });
  }
  assert(messages.size >= 20);
});

Deno.test("all that is wrong is told at once", async () => {
  await using world = await makeInstallWorld();
  const done = await world.run(["--env", "E", "--transport", "vpn", "--bao-ca", "/none"]);
  assertEquals(done.code, 64);
  for (
    const part of ["--env may hold", "--site is missing", "none of sdk", "no file /none", "6 wrong"]
  ) {
    assertStringIncludes(done.stderr, part);
  }
});

Deno.test("a box of another environment, no root, no systemd, another processor: told before any step", async () => {
  await using world = await makeInstallWorld();
  const grant = await world.kit("b.jwt", fakeGrant());
  const args = [
    "--env",
    "env-qa-02",
    "--site",
    "cbs",
    "--transport",
    "proxy",
    "--bootstrap-file",
    grant,
  ];
  const before = await world.state();
  const faults: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ FAKE_UID: "1000" }, "this must run as root"],
    [{ FAKE_ARCHITECTURE: "arm64" }, "this is arm64"],
  ];
  for (const [env, says] of faults) {
    const done = await world.install(args, { env });
    assertEquals([done.code, await world.state()], [1, before]);
    assertStringIncludes(done.stderr, says);
  }
  const sdk = args.map((word) => word === "proxy" ? "sdk" : word);
  const node = await world.install(sdk, { env: { FAKE_NODE: "v18.19.0" } });
  assertEquals([node.code, await world.state()], [1, before]);
  assertStringIncludes(node.stderr, "needs Node 20 or newer with npm, and this box has 18.19.0");

  await Deno.remove(`${world.root}/run/systemd/system`);
  const bare = await world.install(args);
  assertEquals(bare.code, 1);
  assertStringIncludes(bare.stderr, "systemd does not run here");

  await Deno.mkdir(`${world.root}/etc/monky-deployd`);
  await Deno.writeTextFile(`${world.root}/etc/monky-deployd/config.yaml`, "env_id: env-other\n");
  const other = await world.install(args);
  assertEquals(other.code, 64);
  assertStringIncludes(other.stderr, "this box belongs to env-other");
});
