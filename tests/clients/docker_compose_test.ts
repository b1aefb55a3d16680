import { assertEquals, assertRejects } from "@std/assert";
import { createCompose } from "../../src/clients/compose.ts";
import { findPlugin, type PluginFile } from "../../src/clients/compose_plugin.ts";
import { AgentError } from "../../src/errors.ts";
import type { Command, CommandResult, FileStat } from "../../src/ports.ts";

const CALL = { args: ["config", "--format", "json"], env: { A: "b" }, cwd: "/d", timeoutMs: 5_000 };

/** Compose whose every run ends like this. */
function composeOf(
  change: Partial<CommandResult> & { readonly text?: string },
): { compose: ReturnType<typeof createCompose>; commands: Command[] } {
  const commands: Command[] = [];
  const { text, ...rest } = change;
  const compose = createCompose({
    run: (command) => {
      commands.push(command);
      return Promise.resolve({
        code: 0,
        stdout: new TextEncoder().encode(text ?? ""),
        stdoutTruncated: false,
        stderrTail: [],
        timedOut: false,
        aborted: false,
        ...rest,
      });
    },
  }, { plugin: "/p/docker-compose" });
  return { compose, commands };
}

Deno.test("the plugin is run directly, with the given environment and bounds", async () => {
  const { compose, commands } = composeOf({ code: 18, stderrTail: ["x"] });
  const onProgress = (): void => {};
  assertEquals(await compose.run({ ...CALL, args: ["pull"], onProgress }), {
    code: 18,
    stderrTail: ["x"],
    timedOut: false,
    aborted: false,
  });
  assertEquals(commands, [{
    program: "/p/docker-compose",
    args: ["pull"],
    env: { A: "b" },
    cwd: "/d",
    timeoutMs: 5_000,
    graceMs: 10_000,
    maxStdoutBytes: 0,
    onLine: onProgress,
  }]);
});

Deno.test("config gives the model, with every doubled dollar undone", async () => {
  const text = JSON.stringify({
    name: "p",
    services: { web: { image: "a$$$$b", environment: { "K$$": "$$" } } },
  });
  const result = await composeOf({ text }).compose.config(CALL);
  assertEquals(result.ok && result.model.services[0]?.image, "a$$b");
  assertEquals(result.ok && result.resolved, {
    name: "p",
    services: { web: { image: "a$$b", environment: { "K$": "$" } } },
  });
});

Deno.test("a config that failed, took too long or was stopped gives how it ended", async () => {
  for (const change of [{ code: 15 }, { timedOut: true }, { aborted: true }]) {
    const result = await composeOf({ ...change, text: `{"name":"p"}` }).compose.config(CALL);
    assertEquals(result.ok, false);
  }
});

Deno.test("an output that is too large or no model is COMPOSE_INVALID, and quotes nothing", async () => {
  const canary = "canary-value";
  const outputs = [
    { text: `{"name":"p","services":{"a":{"image":5,"x":"${canary}"}}}` },
    { text: `{"name":"${canary}"` },
    { text: canary },
    { text: "null" },
    { stdout: new Uint8Array([0x22, 0xff, 0x22]) },
    { text: `{"name":"p"}`, stdoutTruncated: true },
  ];
  for (const output of outputs) {
    const { compose } = composeOf(output);
    const error = await assertRejects(() => compose.config(CALL), AgentError);
    assertEquals(error.code, "COMPOSE_INVALID");
    assertEquals(`${error.message}${error.stack}${error.cause}`.includes(canary), false);
  }
});

Deno.test("version gives the version, and COMPOSE_MISSING for what is no compose", async () => {
  const versionOf = (change: Parameters<typeof composeOf>[0]): Promise<string> =>
    composeOf(change).compose.version(CALL);
  assertEquals(await versionOf({ text: "2.26.1-4\n" }), "2.26.1-4");
  assertEquals(await versionOf({ text: "v2.40.3\n" }), "2.40.3");
  for (const change of [{ text: "usage: …" }, { text: "2.26.1", code: 1 }, { text: "" }]) {
    const error = await assertRejects(() => versionOf(change), AgentError);
    assertEquals(error.code, "COMPOSE_MISSING");
  }
});

Deno.test("case 42: the plugin is the first file of the places that can be run", async () => {
  const stat = (kind: FileStat["kind"], mode: number): FileStat => ({
    kind,
    mode,
    size: 1,
    uid: 0,
    identity: `a ${kind}`,
  });
  // A link's own identity stays while what it leads to is replaced.
  const table: readonly [Readonly<Record<string, FileStat>>, PluginFile][] = [
    [{ "/b/c": stat("file", 0o755) }, { path: "/b/c", identity: "a file" }],
    [
      { "/a/c": stat("file", 0o755), "/b/c": stat("file", 0o755) },
      { path: "/a/c", identity: "a file" },
    ],
    [
      { "/a/c": stat("symlink", 0o777), "/b/c": stat("file", 0o755) },
      { path: "/a/c", identity: null },
    ],
    [
      { "/a/c": stat("file", 0o644), "/b/c": stat("file", 0o755) },
      { path: "/b/c", identity: "a file" },
    ],
    [
      { "/a/c": stat("directory", 0o755), "/b/c": stat("file", 0o755) },
      { path: "/b/c", identity: "a file" },
    ],
  ];
  const find = (files: Readonly<Record<string, FileStat>>): Promise<PluginFile> =>
    findPlugin({ stat: (path) => Promise.resolve(files[path] ?? null) }, ["/a/c", "/b/c"]);
  for (const [files, found] of table) assertEquals(await find(files), found);
  const error = await assertRejects(() => find({}), AgentError);
  assertEquals([error.code, error.message], [
    "COMPOSE_MISSING",
    `no docker compose plugin that can be run at "/a/c", "/b/c"`,
  ]);
});
