/** The mark of an apply that goes on: whatever the next tick finds then, it converges (case 32). */

import type { Agent } from "./agent.ts";
import type { Work } from "./work.ts";

/** Writes into the state that the release is being applied, and which step runs. */
export async function markApplying(
  agent: Agent,
  { memory }: Work,
  applying: { readonly sha: string; readonly step: string },
): Promise<void> {
  const since = new Date(agent.ports.clock.now()).toISOString();
  await memory.saveState({ ...memory.state, applying: { ...applying, since } });
}
