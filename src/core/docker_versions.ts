/**
 * The oldest Docker Engine and compose that this agent was proven on (facts: docker §0): older ones
 * lack flags that an apply uses, and would fail in its middle.
 */

import { AgentError } from "../errors.ts";
import type { AgentState, KnownCompose } from "../model/state.ts";
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

/**
 * Takes the plugin's file as it is now, and the state; gives the version that this same file told
 * before, or null when it has to be asked. After a failed apply it is: a plugin may be a script whose
 * program was replaced.
 */
export function knownComposeVersion(
  { path, identity }: { readonly path: string; readonly identity: string | null },
  { compose, failed }: Pick<AgentState, "compose" | "failed">,
): string | null {
  const isSame = compose?.path === path && compose.identity === identity;
  return isSame && failed === null ? compose.version : null;
}

/** Takes the plugin's file and what it told; gives what to remember, or null when it is unknown. */
export function rememberCompose(
  { path, identity }: { readonly path: string; readonly identity: string | null },
  version: string,
): KnownCompose | null {
  return identity === null ? null : { path, identity, version };
}
