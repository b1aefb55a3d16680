/**
 * `doctor`: makes the checks of core/doctor/checks.ts one after the other. A check that hangs on a
 * failed one is not made. Changes nothing, leases nothing, logs in to nothing; what each check found
 * is judged in core/doctor.
 */

import {
  blockedFinding,
  blockerOf,
  CHECK_NAMES,
  type CheckName,
  type Finding,
  findingOf,
} from "../core/doctor/checks.ts";
import { fixOf, fixOfConfig } from "../core/doctor/fixes.ts";
import type { Place } from "../core/doctor/place.ts";
import { failedWith, ok, type Verdict } from "../core/doctor/verdict.ts";
import { type AgentError, asAgentError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import {
  lookAtFolders,
  lookAtIdentity,
  lookAtListeners,
  lookAtState,
  lookAtUnits,
  lookAtUser,
} from "./doctor/look_box.ts";
import { lookAtCompose, lookAtDisk, lookAtDocker } from "./doctor/look_docker.ts";
import { lookAtRelease } from "./doctor/look_release.ts";
import { lookAtGrant, lookAtToken } from "./doctor/look_session.ts";
import {
  lookAtClock,
  lookAtDns,
  lookAtMesh,
  lookAtOpenBao,
  lookAtPolicy,
  lookAtRole,
  lookAtTenancy,
  lookAtTls,
} from "./doctor/look_way.ts";
import { createLookout, type Lookout } from "./doctor/lookout.ts";

const LOOKS: Readonly<Record<CheckName, (lookout: Lookout) => Promise<Verdict>>> = {
  config: lookAtConfig,
  user: lookAtUser,
  folders: lookAtFolders,
  state: lookAtState,
  identity: lookAtIdentity,
  dns: lookAtDns,
  mesh: lookAtMesh,
  clock: lookAtClock,
  tls: lookAtTls,
  openbao: lookAtOpenBao,
  grant: lookAtGrant,
  role: lookAtRole,
  token: lookAtToken,
  policy: lookAtPolicy,
  tenancy: lookAtTenancy,
  docker: lookAtDocker,
  compose: lookAtCompose,
  disk: lookAtDisk,
  unit: lookAtUnits,
  listeners: lookAtListeners,
  release: lookAtRelease,
};

/**
 * Makes every check that can be made; gives what each found, in order. `configPath` is the file as it
 * was named. Throws nothing that a check foresees.
 */
export async function examine(agent: Agent, configPath: string): Promise<readonly Finding[]> {
  const { config, ports } = agent;
  const own = await ports.files.stat(config.stateDir).catch(() => null);
  const place: Place = { config, configPath, agentUid: own?.uid ?? null };
  const lookout = createLookout(agent, place);
  const findings: Finding[] = [];
  for (const check of CHECK_NAMES) {
    const blocker = blockerOf(check, findings);
    if (blocker !== null) {
      findings.push(blockedFinding(check, blocker));
      continue;
    }
    findings.push(findingOf(check, await verdictOf(lookout, check)));
  }
  return findings;
}

/** Takes why there is no agent to examine; gives all checks, the first of them failed. */
export function examineNothing(error: AgentError, configPath: string): readonly Finding[] {
  const config = findingOf("config", failedWith(error, fixOfConfig(error, configPath)));
  const others = CHECK_NAMES.filter((check) => check !== "config");
  return [config, ...others.map((check) => blockedFinding(check, "config"))];
}

async function verdictOf(lookout: Lookout, check: CheckName): Promise<Verdict> {
  try {
    return await LOOKS[check](lookout);
  } catch (thrown) {
    const error = asAgentError(thrown);
    return failedWith(error, fixOf(error, lookout.place));
  }
}

function lookAtConfig({ agent, place }: Lookout): Promise<Verdict> {
  const { envId, site, transport } = agent.config;
  return Promise.resolve(ok(`${place.configPath}: ${envId} at ${site}, transport ${transport}`));
}
