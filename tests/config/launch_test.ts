import { assertEquals, assertStringIncludes } from "@std/assert";
import { launchEnv, launchFlags } from "../../scripts/agent/launch.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { permissionsOf, toFlags } from "../../src/core/permissions.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const BASE = "env_id: env-qa-02\nsite: cbs\n";
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function flagsFor(
  argv: readonly string[],
  files: Readonly<Record<string, string>>,
): readonly string[] {
  return launchFlags(argv, { folder: "/home/dev", read: (path) => files[path] ?? null });
}

Deno.test("a command gets the flags of its config, found from where the person stands", () => {
  const config = { configPath: "/home/dev/c.yaml" };
  assertEquals(
    flagsFor(["tick", "--config", "c.yaml"], { "/home/dev/c.yaml": BASE }),
    toFlags(permissionsOf(parseConfig(BASE).config, config), "source"),
  );
});

const MINIMAL: readonly (readonly [string, readonly string[], string])[] = [
  ["a missing config", ["tick", "--config=/none"], "/none"],
  ["a wrong config", ["tick", "--config=/bad"], "/bad"],
  ["a wrong command line", ["tik", "--config=/good"], "/etc/monky-deployd/config.yaml"],
];

for (const [what, argv, read] of MINIMAL) {
  Deno.test(`${what} gets flags that only let the agent say so`, () => {
    const flags = flagsFor(argv, { "/bad": "env_id: X\n", "/good": BASE });
    assertEquals(flags.slice(3), [`--allow-read=${read}`]);
  });
}

Deno.test("the agent's environment has no proxies, tokens or loader variables, and no update check", () => {
  const surrounding = {
    PATH: "/bin",
    HOME: "/home/dev",
    HTTPS_PROXY: "http://proxy",
    https_proxy: "http://proxy",
    ALL_PROXY: "socks5://proxy",
    LD_PRELOAD: "/x.so",
    DENO_AUTH_TOKENS: "secret",
    TERM: undefined,
  };
  assertEquals(launchEnv(surrounding), {
    DENO_NO_UPDATE_CHECK: "1",
    DENO_TLS_CA_STORE: "system",
    PATH: "/bin",
    HOME: "/home/dev",
  });
});

/** Asks under the flags of a config; a kind of access is granted, refused, or failed for its own reasons. */
const PROBE = `
const [dir, port] = Deno.args;
const tries = {
  state: () => Deno.writeTextFile(dir + "/state/x", ""),
  deploy: () => Deno.writeTextFile(dir + "/state/env-qa-02/x", ""),
  outside: () => Deno.writeTextFile(dir + "/x", ""),
  config: () => Deno.readTextFile(dir + "/config.yaml"),
  passwd: () => Deno.readTextFile("/etc/passwd"),
  proxy: () => Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
  other: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
  docker: () => Deno.connect({ transport: "unix", path: dir + "/d.sock" }),
  plugin: () => new Deno.Command(dir + "/docker-compose", { clearEnv: true }).output(),
  shell: () => new Deno.Command("/bin/sh", { clearEnv: true }).output(),
  env: async () => Deno.env.get("HOME"),
  statfs: async () => (await import("node:fs")).statfsSync(dir + "/root"),
  remote: () => import("https://jsr.io/" + "x.ts"),
};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    console.log(name, "granted");
  } catch (error) {
    const refused = error.name === "NotCapable" || /--no-remote/.test(error.message);
    console.log(name, refused ? "refused" : error.name);
  }
}
`;

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "monky-launch-" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

for (const origin of ["source", "package"] as const) {
  Deno.test(`Deno takes the flags (${origin}) and grants what they say, no more`, async () => {
    await withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/state/env-qa-02`, { recursive: true });
      await Deno.mkdir(`${folder}/root`);
      await Deno.writeTextFile(`${folder}/probe.js`, PROBE);
      const text = `${BASE}transport: proxy
state_dir: ${folder}/state
bootstrap_file: ${folder}/b.jwt
tenancy: {proxy_addr: "127.0.0.1:1"}
docker: {compose: ${folder}/docker-compose, host: "unix://${folder}/d.sock", data_root: ${folder}/root}
`;
      await Deno.writeTextFile(`${folder}/config.yaml`, text);
      const configPath = `${folder}/config.yaml`;
      const flags = toFlags(permissionsOf(parseConfig(text).config, { configPath }), origin);
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-q", ...flags, `${folder}/probe.js`, folder, "1"],
        clearEnv: true,
        env: { ...launchEnv({}), DENO_DIR: `${folder}/cache` },
      }).output();
      assertEquals([code, decode(stderr)], [0, ""]);
      assertEquals(decode(stdout).trimEnd().split("\n"), [
        "state granted",
        "deploy granted",
        "outside refused",
        "config granted",
        "passwd refused",
        "proxy ConnectionRefused",
        "other refused",
        "docker NotFound",
        "plugin NotFound",
        "shell refused",
        "env refused",
        "statfs granted",
        "remote refused",
      ]);
    });
  });
}

for (const transport of ["sdk", "system"]) {
  Deno.test(`Deno takes the flags of transport ${transport} without a word`, async () => {
    const { config } = parseConfig(
      `${BASE}transport: ${transport}\nsdk: {node: "/usr/bin/node"}\n`,
    );
    const flags = toFlags(permissionsOf(config, { configPath: "/c" }), "source");
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", ...flags, "data:text/javascript,"],
      clearEnv: true,
      env: launchEnv(Deno.env.toObject()),
    }).output();
    assertEquals([code, decode(stderr)], [0, ""]);
  });
}

Deno.test("the runner works from any folder and ends with the agent's exit code", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/good.yaml`, BASE);
    await Deno.writeTextFile(`${folder}/bad.yaml`, "env_id: X\n");
    const run = async (...args: readonly string[]): Promise<readonly [number, string]> => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-q", "-A", `${ROOT}scripts/agent.ts`, ...args],
        cwd: folder,
        env: { INIT_CWD: folder },
      }).output();
      return [code, decode(stdout) + decode(stderr)];
    };
    assertEquals(await run("config", "check", "--config", "good.yaml"), [0, "OK\n"]);
    const [code, text] = await run("config", "check", "--config", "bad.yaml");
    assertEquals(code, 78);
    assertStringIncludes(text, 'env_id: "X" does not fit');
    assertEquals((await run("tick", "--config", "bad.yaml"))[0], 78);
    assertEquals((await run("tick", "--config", "none.yaml"))[0], 78);
    assertEquals((await run("tik"))[0], 64);
  });
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} reaches the agent, whose exit code is the runner's`, async () => {
    await withFolder(async (folder) => {
      const child = `Deno.addSignalListener("${signal}", () => Deno.exit(7));
        Deno.writeTextFileSync("ready", ""); setTimeout(() => Deno.exit(1), 90_000);`;
      const runner = `import { runChild } from "${ROOT}scripts/agent/child.ts";
        Deno.exitCode = await runChild({ args: ["run", "-A", "child.js"], cwd: ".", env: {} });`;
      await Deno.writeTextFile(`${folder}/child.js`, child);
      await Deno.writeTextFile(`${folder}/runner.ts`, runner);
      // A process of its own: the test runner ends itself at SIGINT.
      const running = new Deno.Command(Deno.execPath(), {
        args: ["run", "-q", "-A", "--no-config", "runner.ts"],
        cwd: folder,
        stdin: "null",
      }).spawn();
      const deadline = performance.now() + 60_000;
      const isReady = (): Promise<boolean> =>
        Deno.stat(`${folder}/ready`).then(() => true, () => false);
      while (!await isReady() && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      const isUp = await isReady();
      running.kill(signal);
      assertEquals([isUp, (await running.status).code], [true, 7]);
    });
  });
}
