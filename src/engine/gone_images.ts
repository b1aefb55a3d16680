/**
 * A repair fetches no image (facts: docker §7), so a service whose container and image are both
 * gone, as after `docker system prune -a`, is not brought back by one: the release is applied again.
 */

import { type Decision, short } from "../core/decide.ts";
import { imagesOfRepair } from "../core/repair.ts";
import type { AgentState } from "../model/state.ts";
import type { Desired } from "../model/tenancy_wire.ts";
import type { Agent } from "./agent.ts";

/**
 * Takes a decision; gives it back, or the apply of the same release when it is a repair of the
 * desired one and an image for it is not on the box. Throws DOCKER_*.
 */
export async function applyWhereImagesAreGone(
  agent: Pick<Agent, "docker">,
  { decision, desired, state }: {
    readonly decision: Decision;
    readonly desired: Desired;
    readonly state: AgentState;
  },
): Promise<Decision> {
  const { applied, released } = state;
  if (decision.kind !== "repair" || applied === null || released === null) return decision;
  if (desired.state !== "present" || desired.sha !== applied.sha) return decision;
  const ids = imagesOfRepair(decision.repair, released);
  if (ids.length === 0) return decision;
  const present = await agent.docker.images(ids);
  const gone = ids.filter((id) => !present.has(id));
  if (gone.length === 0) return decision;
  const reason = `${decision.reason}; ${short(applied.sha)} needs images that the box has no more`;
  return { kind: "apply", sha: applied.sha, reason };
}
