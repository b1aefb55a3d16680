/**
 * The oldest Docker Engine and compose that this agent was proven on (facts: docker §0): older ones
 * lack flags that an apply uses, and would fail in its middle.
 */

import { AgentError } from "../errors.ts";
import { compareVersions } from "./versions.ts";

/** The oldest Engine. */
export const OLDEST_ENGINE = "20.10.0";
/** The oldest compose: `ps`, `pull --policy` and label-only `down` as they are used here. */
export const OLDEST_COMPOSE = "2.22.0";

/** Takes the Engine's version; gives DOCKER_TOO_OLD or null. */
export function refuseOldEngine(version: string): AgentError | null {
  if (compareVersions(version, OLDEST_ENGINE) >= 0) return null;
  const message = `the Docker Engine is ${version}, ${OLDEST_ENGINE} or newer is needed`;
  return new AgentError("DOCKER_TOO_OLD", message);
}

/** Takes compose's version; gives COMPOSE_TOO_OLD or null. */
export function refuseOldCompose(version: string): AgentError | null {
  if (compareVersions(version, OLDEST_COMPOSE) >= 0) return null;
  const message = `docker compose is ${version}, ${OLDEST_COMPOSE} or newer is needed`;
  return new AgentError("COMPOSE_TOO_OLD", message);
}
