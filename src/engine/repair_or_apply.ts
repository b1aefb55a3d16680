/**
 * What a repair cannot mend is applied again: a release whose files on disk are no more what its sha
 * names, as after a power cut or an edit by hand, and one whose images are gone. Looked at only where
 * a repair was decided, so a converged tick pays for none of it.
 */

import { type Decision, short } from "../core/decide.ts";
import type { AgentState } from "../model/state.ts";
import type { Desired } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";
import { applyWhereImagesAreGone } from "./gone_images.ts";

/**
 * Takes a decision; gives it back, or the apply of the same release when it is a repair of the
 * desired one that would not bring it back. Throws DOCKER_*, FILE_UNREADABLE.
 */
export async function repairOrApply(
  agent: Pick<Agent, "docker" | "releases">,
  facts: {
    readonly decision: Decision;
    readonly desired: Desired;
    readonly state: AgentState;
  },
): Promise<Decision> {
  const { decision, desired, state: { applied } } = facts;
  const isOfDesired = desired.state === "present" && desired.sha === applied?.sha;
  if (decision.kind === "repair" && isOfDesired && !await agent.releases.isIntact(desired.sha)) {
    const reason = `${decision.reason}; ${short(desired.sha)} was changed on disk`;
    return { kind: "apply", sha: desired.sha, reason };
  }
  return await applyWhereImagesAreGone(agent, facts);
}
