/**
 * What the box remembers, read at the start of a tick (SPEC §4.3). A state that cannot be read is
 * kept aside, and rebuilt from the record that lies with the current release.
 */

import { AgentError } from "../errors.ts";
import type { AgentState } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { Memory } from "./memory.ts";

/**
 * Reads state and session; with `repair`, what is loose is made private and what is broken is moved
 * aside. Throws STATE_ENV_MISMATCH, PROJECT_MISMATCH, FILE_UNREADABLE.
 */
export async function readMemory(
  agent: Agent,
  options: { readonly repair: boolean },
): Promise<Memory> {
  const { log } = agent.ports;
  const read = await agent.states.read(options);
  const session = await agent.sessions.read(options);
  for (const warning of [...read.warnings, ...session.warnings]) {
    log.write("warn", "found on start", { what: warning });
  }
  // What a tick that was killed while it pulled has left: there only while images are pulled.
  if (options.repair && await agent.registries.remove()) {
    log.write("info", "removed the registry accounts of a killed tick", {});
  }
  const state = read.fresh ? await rebuild(agent, read.state) : read.state;
  if (options.repair && state.applied !== null) await agent.releases.sweepRecord(state.applied.sha);
  return new Memory(agent, { state, session: session.session });
}

/** The current release tells what was applied, and how it ran when it was healthy. */
async function rebuild(agent: Agent, fresh: AgentState): Promise<AgentState> {
  const sha = await agent.releases.current();
  if (sha === null) return fresh;
  const bytes = await agent.releases.readOwn(agent.releases.paths(sha).record);
  const { parseReleaseRecord } = await import("../model/release_record.ts");
  const record = bytes === null ? null : parseReleaseRecord(bytes);
  if (record === null || record.sha !== sha) return fresh;
  if (record.envId !== fresh.envId) {
    throw new AgentError(
      "STATE_ENV_MISMATCH",
      `the current release was applied for ${record.envId}, the config says ${fresh.envId}`,
    );
  }
  agent.ports.log.write("warn", "state rebuilt from the current release", { sha });
  const applied = { sha, serial: record.serial, at: record.at };
  return {
    ...fresh,
    applied,
    released: record.released,
    secrets: record.secrets,
    history: [applied],
  };
}
