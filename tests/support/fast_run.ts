/**
 * `run` as a process of its own, wired as src/app.ts wires it but for one thing: its pauses pass many
 * times faster. Arguments: the config file, and how many times. Under the grants of its caller.
 */

import { bundleKeyFiles } from "../../src/config/bundle_keys.ts";
import { parseConfig } from "../../src/config/parse.ts";
import { runLoop } from "../../src/engine/run_loop.ts";
import { wireAgent } from "../../src/engine/wire.ts";
import { createHttp, createLocalPorts, httpOptions } from "../../src/io/mod.ts";
import { Mask } from "../../src/model/mask.ts";
import "../../src/model/no_jit.ts";

const [configPath = "", times = "1"] = Deno.args;
const speed = Number(times);
const mask = new Mask();
const local = createLocalPorts({
  logFormat: "journal",
  logLevel: "info",
  mask: (text) => mask.apply(text),
});
const { clock } = local;
const fast = {
  now: clock.now,
  monotonic: (): number => clock.monotonic() * speed,
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => clock.sleep(ms / speed, signal),
};

await runLoop({
  configPath,
  say: ({ code, message }) => local.log.write("error", `${code}: ${message}`),
  reloads: local.reloads,
  open: async (accept) => {
    const { config } = parseConfig(await Deno.readTextFile(configPath));
    accept(config);
    if (bundleKeyFiles(config).length > 0) throw new Error("this entry reads no key files");
    const caPem = config.bao.ca === null ? null : await Deno.readTextFile(config.bao.ca);
    const http = createHttp(httpOptions(config, caPem, local.log));
    return wireAgent(config, { ports: { ...local, clock: fast, http }, mask, ownUid: Deno.uid() });
  },
});
local.signals.close();
local.reloads.close();
