/**
 * What the box remembers, read at the start of a tick (SPEC §4.3). A state that cannot be read is
 * kept aside, and rebuilt from the record that lies with the current release.
 */

import { AgentError } from "../errors.ts";
import type { AgentState } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { Memory } from "./memory.ts";

/**
 * Reads state and session. With `repair`, what is loose is made private, what is broken is moved
 * aside, a state that had to be rebuilt is written, and all of it is said once, in the log; without,
 * nothing is written or logged, and Memory's `found` tells it. Throws STATE_ENV_MISMATCH,
 * PROJECT_MISMATCH, FILE_UNREADABLE, DISK_FULL, FILE_UNWRITABLE.
 */
export async function readMemory(
  agent: Agent,
  options: { readonly repair: boolean },
): Promise<Memory> {
  const read = await agent.states.read(options);
  const session = await agent.sessions.read(options);
  const found = [...read.warnings, ...session.warnings];
  if (!options.repair) {
    const rebuilt = read.fresh ? await rebuild(agent, read.state) : null;
    if (rebuilt !== null) found.push("the next tick rebuilds the state from the current release");
    return new Memory(agent, { state: rebuilt ?? read.state, session: session.session, found });
  }
  const { log } = agent.ports;
  for (const what of found) log.write("warn", "found on start", { what });
  // What a tick that was killed while it pulled has left: there only while images are pulled.
  if (await agent.registries.remove()) {
    log.write("info", "removed the registry accounts of a killed tick", {});
  }
  const memory = new Memory(agent, { state: read.state, session: session.session, found });
  if (read.fresh) await keepRebuilt(agent, memory);
  const { applied } = memory.state;
  if (applied !== null) await agent.releases.sweepRecord(applied.sha);
  return memory;
}

/** Written at once: a converged tick writes no state, and would rebuild it and say so for ever. */
async function keepRebuilt(agent: Agent, memory: Memory): Promise<void> {
  const rebuilt = await rebuild(agent, memory.state);
  if (rebuilt === null) return;
  const sha = rebuilt.applied?.sha;
  agent.ports.log.write("warn", "state rebuilt from the current release", { sha });
  await memory.saveState(rebuilt);
}

/**
 * The current release tells what was applied, and how it ran when it was healthy. Null: there is none,
 * or it has no record.
 */
async function rebuild(agent: Agent, fresh: AgentState): Promise<AgentState | null> {
  const sha = await agent.releases.current();
  if (sha === null) return null;
  const bytes = await agent.releases.readOwn(agent.releases.paths(sha).record);
  const { parseReleaseRecord } = await import("../model/release_record.ts");
  const record = bytes === null ? null : parseReleaseRecord(bytes);
  if (record === null || record.sha !== sha) return null;
  if (record.envId !== fresh.envId) {
    throw new AgentError(
      "STATE_ENV_MISMATCH",
      `the current release was applied for ${record.envId}, the config says ${fresh.envId}`,
    );
  }
  const applied = { sha, serial: record.serial, at: record.at };
  return {
    ...fresh,
    applied,
    released: record.released,
    secrets: record.secrets,
    history: [applied],
  };
}
