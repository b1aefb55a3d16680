/**
 * The compose plugin's version for an apply: told once by each file, then remembered in the state,
 * since asking costs a child process.
 */

import { knownComposeVersion, rememberCompose } from "../core/docker_versions.ts";
import type { AgentState, KnownCompose } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { composeVersion } from "./compose_calls.ts";

/** A version, and what is to be remembered of it. */
export interface FoundVersion {
  /** E.g. `2.26.1-4`. */
  readonly version: string;
  /** Null: nothing that the state does not say. */
  readonly news: KnownCompose | null;
}

/** Gives the version; writes nothing. Throws COMPOSE_MISSING. */
export async function findComposeVersion(
  agent: Agent,
  state: Pick<AgentState, "compose" | "failed">,
): Promise<FoundVersion> {
  // Looked at before it runs: a file that is replaced meanwhile is remembered as the one before.
  const plugin = await agent.composePlugin();
  const known = knownComposeVersion(plugin, state);
  if (known !== null) return { version: known, news: null };
  const version = await composeVersion(agent);
  return { version, news: rememberCompose(plugin, version) };
}
