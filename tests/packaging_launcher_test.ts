/** SPEC §10, §11: what the packaged launcher makes of a command line, a config and an environment. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { minimalPermissions, toFlags } from "../src/core/permissions.ts";
import { type LauncherTree, withLauncher } from "./support/launcher_tree.ts";

const IS_ROOT = Deno.uid() === 0;

function start(tree: LauncherTree, flags: readonly string[], words: readonly string[]): string {
  const all = ["run", "-q", ...flags, `${tree.lib}/main.js`, ...words];
  return all.map((word) => ` <${word}>`).join("");
}

function minimal(configPath: string): readonly string[] {
  return toFlags(minimalPermissions({ configPath }), "package");
}

const FLAGS = ["--no-prompt", "--allow-read=/a b,/c"];

/** What started, without the user in front. */
function words(tree: LauncherTree): readonly string[] {
  return tree.starts().map((line) => line.slice(line.indexOf(" ")));
}

Deno.test("another config's flags are asked of the agent, and it starts under them word for word", () =>
  withLauncher(async (tree) => {
    const path = `${tree.folder}/my config.yaml`;
    assertEquals((await tree.run(["tick", "--config", path, "--now"])).code, 42);
    assertEquals(words(tree), [
      start(tree, minimal(path), ["permissions", "--of", "tick", "--config", path]),
      start(tree, FLAGS, ["tick", "--config", path, "--now"]),
    ]);
  }));

const CONFIG_WORDS:
  readonly (readonly [string, readonly string[], (tree: LauncherTree) => string])[] = [
    ["--config FILE", ["plan", "--config", "/x.yaml"], () => "/x.yaml"],
    ["--config=FILE", ["plan", "--config=/x.yaml"], () => "/x.yaml"],
    ["a relative file", ["plan", "--config", "x.yaml"], () => `${Deno.cwd()}/x.yaml`],
    ["a file called like a command", ["plan", "--config", "doctor"], () => `${Deno.cwd()}/doctor`],
    ["none", ["plan"], ({ config }) => config],
    ["one behind --", ["plan", "--", "--config=/x.yaml"], ({ config }) => config],
  ];

for (const [what, argv, expected] of CONFIG_WORDS) {
  Deno.test(`the config that the flags are made from: ${what}`, () =>
    withLauncher(async (tree) => {
      await tree.run(argv);
      const [asked = ""] = words(tree);
      assertStringIncludes(asked, `<--allow-read=${expected(tree)}>`);
      assert(!asked.includes("<doctor>"), asked);
    }));
}

Deno.test("the doctor's own flags are asked for", () =>
  withLauncher(async (tree) => {
    await tree.run(["doctor", "--json"]);
    assertStringIncludes(words(tree).at(-2) ?? "", "<permissions> <--of> <doctor>");
  }));

Deno.test("a config that is wrong starts the agent with flags that only let it say so", () =>
  withLauncher(async (tree) => {
    await Deno.writeTextFile(`${tree.folder}/wrong`, "");
    assertEquals((await tree.run(["tick"])).code, 42);
    assertEquals(words(tree).at(-1), start(tree, minimal(tree.config), ["tick"]));
  }));

for (const word of ["version", "help", "--help", "completions", "permissions"]) {
  Deno.test(`${word} needs nothing of the config, so nothing is asked`, () =>
    withLauncher(async (tree) => {
      await tree.run([word]);
      assertEquals(words(tree).at(-1), start(tree, minimal(tree.config), [word]));
    }));
}

for (const path of ["/a,/etc", "/a\n/etc"]) {
  Deno.test(`a config path that flags cannot carry starts nothing: ${JSON.stringify(path)}`, () =>
    withLauncher(async (tree) => {
      const { code, stderr } = await tree.run(["tick", "--config", path]);
      assertEquals(code, 64);
      assertMatch(stderr, /no comma/);
      assertEquals(tree.starts(), []);
    }));
}

Deno.test("the environment is made from nothing, and leaves no core and no readable file", () =>
  withLauncher(async (tree) => {
    await tree.run(["version"], {
      HTTPS_PROXY: "http://proxy",
      LD_LIBRARY_PATH: "/x",
      DENO_AUTH_TOKENS: "canary",
      PATH: "/evil",
      HOME: "/root",
      TERM: "xterm a",
      NO_COLOR: "1",
    });
    const seen = (await Deno.readTextFile(`${tree.folder}/environment`)).trim().split("\n");
    const own = (line: string): boolean => !/^(?:PWD|OLDPWD|SHLVL|_)=/.test(line);
    assertEquals(seen.filter(own).sort(), [
      `DENO_DIR=${tree.folder}/cache`,
      "DENO_NO_UPDATE_CHECK=1",
      "DENO_TLS_CA_STORE=system",
      "NO_COLOR=1",
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "TERM=xterm a",
    ]);
    const [umask, core] = (await Deno.readTextFile(`${tree.folder}/limits`)).split("\n");
    assertEquals([umask, core], ["0077", "0"]);
  }));

Deno.test("a signal to what was started reaches the agent: there is no shell in between", () =>
  withLauncher(async (tree) => {
    const child = new Deno.Command(tree.launcher, {
      args: ["help", "sleep"],
      clearEnv: true,
      stdin: "null",
    }).spawn();
    try {
      const pid = (): string =>
        Deno.readTextFileSync(`${tree.folder}/limits`).trim().split("\n").at(-1) ?? "";
      const deadline = performance.now() + 25_000;
      while (pid() !== String(child.pid) && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assertEquals(pid(), String(child.pid));
    } finally {
      child.kill("SIGTERM");
    }
    assertEquals((await child.status).signal, "SIGTERM");
  }));

Deno.test({
  name: "root finds the flags out once, keeps them, and starts the agent as the agent's user",
  ignore: !IS_ROOT,
  fn: () =>
    withLauncher(async (tree) => {
      await tree.run(["tick"]);
      await tree.run(["tick"]);
      const tick = start(tree, FLAGS, ["tick"]);
      const asked = start(tree, minimal(tree.config), ["permissions", "--config", tree.config]);
      const [first = "", ...others] = tree.starts();
      assertMatch(first, /^root /);
      assertEquals(first.replace("root", "").replace(" <--no-code-cache>", ""), asked);
      assertEquals(others, [`daemon${tick}`, `daemon${tick}`]);
      const { mode = 0, uid } = await Deno.stat(tree.grants);
      assertEquals([(mode ?? 0) & 0o777, uid], [0o640, 0]);
    }),
});

const CHANGES: readonly (readonly [string, (tree: LauncherTree) => Promise<void>])[] = [
  ["the config is edited within the same second", async ({ config }) => {
    const { mtime } = await Deno.stat(config);
    await Deno.writeTextFile(config, "env_id: env-b\nsite: b\n");
    await Deno.utime(config, mtime ?? 0, mtime ?? 0);
  }],
  ["an older config is put back", async ({ config }) => {
    await Deno.writeTextFile(`${config}.old`, "env_id: env-a\nsite: b\n");
    await Deno.utime(`${config}.old`, 1, 1);
    await Deno.rename(`${config}.old`, config);
  }],
  ["the program is replaced by one with an old date", async ({ lib }) => {
    await Deno.writeTextFile(`${lib}/new.js`, "");
    await Deno.utime(`${lib}/new.js`, 1, 1);
    await Deno.rename(`${lib}/new.js`, `${lib}/main.js`);
  }],
];

for (const [what, change] of CHANGES) {
  Deno.test({
    name: `kept flags are not used, and made anew, when ${what}`,
    ignore: !IS_ROOT,
    fn: () =>
      withLauncher(async (tree) => {
        await tree.writeGrants();
        await tree.writeGrants();
        assertEquals(tree.starts().length, 1);
        await change(tree);
        await Deno.writeTextFile(`${tree.folder}/flags`, "--allow-read=/new\n");
        await tree.run(["tick"]);
        assertEquals(words(tree).at(-1), start(tree, ["--allow-read=/new"], ["tick"]));
      }),
  });
}

Deno.test({
  name: "a config that turns wrong leaves no flags of the right one behind",
  ignore: !IS_ROOT,
  fn: () =>
    withLauncher(async (tree) => {
      await tree.writeGrants();
      await Deno.writeTextFile(tree.config, "nonsense\n");
      await Deno.writeTextFile(`${tree.folder}/wrong`, "");
      await tree.writeGrants();
      await tree.run(["tick"]);
      assertEquals(words(tree).at(-1), start(tree, minimal(tree.config), ["tick"]));
    }),
});
