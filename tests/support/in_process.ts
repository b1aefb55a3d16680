/**
 * The agent of a box inside the test's own process, wired as src/app.ts wires it: for tests of many
 * ticks, and for settings that an operator's config may not have.
 */

import type { Box } from "../../scripts/box/box.ts";
import { parseConfig } from "../../src/config/parse.ts";
import type { Agent } from "../../src/engine/agent.ts";
import { endOf, tick, type TickEnd } from "../../src/engine/tick.ts";
import { wireAgent } from "../../src/engine/wire.ts";
import { createBox } from "../../src/io/box.ts";
import { createClock } from "../../src/io/clock.ts";
import { createDigest } from "../../src/io/digest.ts";
import { createExec } from "../../src/io/exec.ts";
import { createFiles } from "../../src/io/files.ts";
import { createLock } from "../../src/io/lock.ts";
import { createHttp, httpOptions } from "../../src/io/mod.ts";
import { createRandom } from "../../src/io/random.ts";
import type { Config } from "../../src/model/config.ts";
import { Mask } from "../../src/model/mask.ts";

/** An agent and what it logged. */
export interface InProcess {
  readonly agent: Agent;
  /** `level event code`, oldest first. */
  readonly lines: readonly string[];
  /** Runs one tick to its end; what it threw is part of that. */
  tick(options?: { readonly force: boolean }): Promise<TickEnd>;
}

/** Wires the agent of a box; `change` sees the config before that. */
export async function inProcess(
  box: Box,
  change: (config: Config) => Config = (config) => config,
): Promise<InProcess> {
  const { config: parsed } = parseConfig(await Deno.readTextFile(box.configPath));
  const config = change(parsed);
  const caPem = await Deno.readTextFile(box.bao.bao.caFile);
  const lines: string[] = [];
  const mask = new Mask();
  const ports = {
    clock: createClock(),
    random: createRandom(),
    digest: createDigest(),
    files: createFiles(),
    lock: createLock(),
    exec: createExec(),
    http: createHttp(httpOptions(config, caPem)),
    log: {
      write: (level: string, event: string, fields = {}): void => {
        const { code = "" } = fields as { readonly code?: string };
        lines.push(`${level} ${event} ${code}`.trim());
      },
    },
    out: { print: (): void => {} },
    signals: { stop: new AbortController().signal },
    box: createBox(),
  };
  const agent = wireAgent(config, { ports, mask, ownUid: Deno.uid() });
  return {
    agent,
    lines,
    tick: (options = { force: false }) => tick(agent, options).catch(endOf),
  };
}
