/**
 * What is refused before any effect (SPEC §4): each rule is a predicate over facts that gives a
 * refusal or null. A refused bundle never leases and never touches a container.
 */

import type { ErrorData } from "../errors.ts";
import type { Code } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import type { AgentState } from "../model/state.ts";
import { short } from "./decide.ts";
import { compareVersions } from "./versions.ts";

/** The agent declines: the code, what it says, and printable facts. */
export interface Refusal {
  readonly code: Code;
  readonly message: string;
  readonly data?: ErrorData;
}

/** What the rules look at besides the bundle. */
export interface RefusalFacts {
  readonly envId: string;
  readonly agentVersion: string;
  readonly state: AgentState;
  /** The serial that the check-in named, if any. */
  readonly desiredSerial: number | null;
  readonly env: EnvFacts;
}

/** What planEnv() found out about template, manifest and compose files, without a value. */
export interface EnvFacts {
  /** Sorted names with no value to come from. */
  readonly unresolved: readonly string[];
  /** Where they are asked for, a clause each; not there: not known. */
  readonly asked?: readonly string[];
  /** Sorted names that would steer compose, docker, git or the loader. */
  readonly reserved: readonly string[];
}

/** Takes a bundle and the facts; gives the first refusal in the order of the rules, or null. */
export function refuse(bundle: Bundle, facts: RefusalFacts): Refusal | null {
  return refuseOtherEnv(bundle, facts) ??
    refuseOldAgent(bundle, facts) ??
    refuseRollback(bundle, facts) ??
    refuseReserved(facts.env) ??
    refuseIncomplete(facts.env);
}

function refuseOtherEnv(bundle: Bundle, facts: RefusalFacts): Refusal | null {
  const envId = bundle.meta.envId;
  if (envId === null || envId === facts.envId) return null;
  return {
    code: "BUNDLE_ENV_MISMATCH",
    message: `the bundle is rendered for ${envId}, this box is ${facts.envId}`,
  };
}

function refuseOldAgent(bundle: Bundle, facts: RefusalFacts): Refusal | null {
  const wanted = bundle.meta.minVersion;
  if (wanted === null || compareVersions(facts.agentVersion, wanted) >= 0) return null;
  return {
    code: "AGENT_TOO_OLD",
    message: `the bundle wants monky-deployd ${wanted} or newer, this is ${facts.agentVersion}`,
  };
}

function refuseRollback(bundle: Bundle, facts: RefusalFacts): Refusal | null {
  if (bundle.meta.allowRollback) return null;
  const why = rollbackOf(bundle, facts);
  return why === null ? null : { code: "ROLLBACK_REFUSED", message: why };
}

/**
 * Says in what way a bundle is older than what was applied, or null when it is not: by serial where
 * both have one, else by history (SPEC §4).
 */
export function rollbackOf(
  bundle: Pick<Bundle, "sha" | "serial">,
  facts: Pick<RefusalFacts, "state" | "desiredSerial">,
): string | null {
  const { applied, history } = facts.state;
  if (applied === null || applied.sha === bundle.sha) return null;
  const serial = bundle.serial ?? facts.desiredSerial;
  if (serial !== null && applied.serial !== null) {
    return serial < applied.serial
      ? `serial ${serial} is older than the applied ${applied.serial}`
      : null;
  }
  const before = history.findLast((release) => release.sha === bundle.sha);
  return before === undefined
    ? null
    : `${short(bundle.sha)} was applied at ${before.at} and replaced since`;
}

function refuseReserved(env: EnvFacts): Refusal | null {
  if (env.reserved.length === 0) return null;
  return {
    code: "ENV_RESERVED",
    message: `reserved: ${env.reserved.join(", ")}`,
  };
}

function refuseIncomplete(env: EnvFacts): Refusal | null {
  if (env.unresolved.length === 0) return null;
  return {
    code: "ENV_INCOMPLETE",
    message: [`unresolved: ${env.unresolved.join(", ")}`, ...(env.asked ?? [])].join("; "),
  };
}
