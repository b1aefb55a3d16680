/** Looking at the box: facts only, and what hid them. */

import { type AgentError, asAgentError } from "../errors.ts";
import type { Container } from "../model/containers.ts";
import type { Agent } from "./agent.ts";

/** The project's containers, or why they cannot be seen. */
export interface Observed {
  readonly containers: readonly Container[];
  readonly error: AgentError | null;
}

/**
 * Lists the project's containers with one request. A failure is a fact: the box still checks in, so
 * that tenancy sees it alive while its Engine is down.
 */
export async function observeContainers(agent: Agent): Promise<Observed> {
  try {
    return { containers: await agent.docker.list(agent.config.composeProject), error: null };
  } catch (thrown) {
    return { containers: [], error: asAgentError(thrown) };
  }
}
