import { assertEquals } from "@std/assert";
import { parseConfig } from "../../src/config/parse.ts";
import type { Agent } from "../../src/engine/agent.ts";
import { findComposeVersion } from "../../src/engine/compose_version.ts";
import { readMemory } from "../../src/engine/load.ts";
import { wireAgent } from "../../src/engine/wire.ts";
import { Mask } from "../../src/model/mask.ts";
import type { Ports } from "../../src/ports.ts";
import { memoryFiles } from "../fakes/memory_files.ts";

const PLUGIN = "/p/docker-compose";
const STATE = "/s/state.json";
const CONFIG = "env_id: env-a\nsite: lab\nstate_dir: /s\ndeploy_dir: /d\n" +
  `transport: proxy\ndocker: {compose: ${PLUGIN}}\n`;

/** An agent with a plugin whose file and version can be set, and how often it was run. */
function box(): {
  readonly agent: Agent;
  readonly plugin: { identity: string; version: string; runs: number };
  readonly files: ReturnType<typeof memoryFiles>;
} {
  const files = memoryFiles();
  const plugin = { identity: "1", version: "2.26.1", runs: 0 };
  const ports: Pick<Ports, "files" | "exec" | "signals" | "log"> = {
    files: {
      ...files,
      stat: async (path) => {
        if (path !== PLUGIN) return await files.stat(path);
        return { kind: "file", size: 1, mode: 0o755, uid: 0, identity: plugin.identity };
      },
    },
    exec: {
      run: () => {
        plugin.runs++;
        return Promise.resolve({
          code: 0,
          stdout: new TextEncoder().encode(plugin.version),
          stdoutTruncated: false,
          stderrTail: [],
          timedOut: false,
          aborted: false,
        });
      },
    },
    signals: { stop: new AbortController().signal },
    log: { write: () => {} },
  };
  const { config } = parseConfig(CONFIG);
  // What it asks of no other port, the type cannot say: an agent is wired from all of them.
  const agent = wireAgent(config, { ports: ports as Ports, mask: new Mask(), ownUid: 0 });
  return { agent, plugin, files };
}

/** Asks as an apply does, which remembers what is new. */
async function ask(agent: Agent): Promise<string> {
  const memory = await readMemory(agent, { repair: true });
  const { version, news } = await findComposeVersion(agent, memory.state);
  if (news !== null) await memory.saveState({ ...memory.state, compose: news });
  return version;
}

Deno.test("the plugin tells its version once, and again when its file is another", async () => {
  const { agent, plugin } = box();
  assertEquals([await ask(agent), await ask(agent), plugin.runs], ["2.26.1", "2.26.1", 1]);
  plugin.identity = "2";
  plugin.version = "2.5.0";
  assertEquals([await ask(agent), await ask(agent), plugin.runs], ["2.5.0", "2.5.0", 2]);
});

Deno.test("a record that cannot be read is asked for anew and costs nothing else of the state", async () => {
  const { agent, plugin, files } = box();
  await ask(agent);
  const state = JSON.parse(files.text(STATE) ?? "");
  for (const compose of [undefined, null, 5, {}, { ...state.compose, version: 2 }]) {
    files.put(STATE, JSON.stringify({ ...state, repairs: [7], compose }));
    plugin.runs = 0;
    assertEquals([await ask(agent), plugin.runs], ["2.26.1", 1], JSON.stringify(compose));
    const { state: after } = await readMemory(agent, { repair: true });
    assertEquals(after.repairs, [7]);
  }
});
