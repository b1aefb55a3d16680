/**
 * `doctor`: looks at everything a tick needs, one thing after the other, and names the fix for each
 * fault. Changes nothing; a check that cannot be made because an earlier one failed says so.
 */

import { lifeLeftS } from "../core/session_facts.ts";
import { refuseOldCompose, refuseOldEngine } from "../core/docker_versions.ts";
import { AgentError, asAgentError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { checkIn } from "./check_in.ts";
import { composeVersion } from "./compose_calls.ts";
import { readMemory } from "./load.ts";
import { observeContainers } from "./observe.ts";
import { factsOfToken } from "./session.ts";

/** What one check found. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  /** What was seen, in a few words. */
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null;
}

interface Check {
  readonly name: string;
  readonly run: (agent: Agent) => Promise<string | Omit<Finding, "name">>;
}

/** OpenBao gives a grant this leeway (facts: openbao §0.7). */
const MAX_SKEW_S = 60;

const CHECKS: readonly Check[] = [
  { name: "state", run: checkState },
  { name: "docker", run: checkDocker },
  { name: "compose", run: checkCompose },
  { name: "disk", run: checkDisk },
  { name: "openbao", run: checkOpenBao },
  { name: "token", run: checkToken },
  { name: "tenancy", run: checkTenancy },
];

/** Runs every check; gives what each found, in order. Throws nothing that a check foresees. */
export async function examine(agent: Agent): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of CHECKS) {
    try {
      const found = await run(agent);
      findings.push(
        typeof found === "string"
          ? { name, state: "ok", detail: found, fix: null }
          : { name, ...found },
      );
    } catch (thrown) {
      const { code, message, hint } = asAgentError(thrown);
      findings.push({ name, state: "fail", detail: `${code}: ${message}`, fix: hint });
    }
  }
  return findings;
}

async function checkState(agent: Agent): Promise<string | Omit<Finding, "name">> {
  const { stateDir } = agent.config;
  const stat = await agent.ports.files.stat(stateDir);
  if (stat === null) return `${stateDir} is not there yet; the first tick makes it`;
  await readMemory(agent, { repair: false });
  if ((stat.mode & 0o077) === 0) return `${stateDir} is private and readable`;
  const mode = (stat.mode & 0o7777).toString(8).padStart(4, "0");
  const fix = `Run chmod 700 ${stateDir}.`;
  return { state: "warn", detail: `${stateDir} has mode ${mode}`, fix };
}

async function checkDocker(agent: Agent): Promise<string> {
  const { version, apiVersion } = await agent.docker.version();
  const refusal = refuseOldEngine(version);
  if (refusal !== null) throw refusal;
  const containers = await agent.docker.list(agent.config.composeProject);
  return `Engine ${version}, API ${apiVersion}; ${containers.length} containers of the project`;
}

async function checkCompose(agent: Agent): Promise<string> {
  const version = await composeVersion(agent);
  const refusal = refuseOldCompose(version);
  if (refusal !== null) throw refusal;
  return `compose ${version}`;
}

async function checkDisk(agent: Agent): Promise<string | Omit<Finding, "name">> {
  const { dataRoot, diskHeadroomBytes } = agent.config.docker;
  const free = await agent.ports.files.freeBytes(dataRoot);
  const detail = `${mib(free)} MiB free on ${dataRoot}, ${mib(diskHeadroomBytes)} MiB stay free`;
  if (free > diskHeadroomBytes) return detail;
  return { state: "fail", detail, fix: "Free space there, or lower docker.disk_headroom_bytes." };
}

async function checkOpenBao(agent: Agent): Promise<string | Omit<Finding, "name">> {
  const { sealed, clockSkewS } = await agent.bao.health();
  const { host, port } = agent.config.bao;
  const at = `${host}:${port} answers over TLS`;
  if (sealed) {
    return { state: "fail", detail: `${at} and is sealed`, fix: "Unseal OpenBao." };
  }
  const skew = `clocks differ by ${Math.abs(clockSkewS)} s`;
  if (Math.abs(clockSkewS) <= MAX_SKEW_S) return `${at}, ${skew}`;
  return { state: "fail", detail: `${at}, ${skew}`, fix: "Set this box's clock (timedatectl)." };
}

async function checkToken(agent: Agent): Promise<string> {
  const { session } = await readMemory(agent, { repair: false });
  const { token } = session;
  if (token === null) {
    const grant = await agent.grants.read({ repair: false });
    if (grant.kind === "present") return "none yet; a bootstrap grant is there for the next tick";
    if (grant.kind === "unusable") throw grant.error;
    throw new AgentError("GRANT_MISSING", "there is no token and no bootstrap grant");
  }
  if (await agent.bao.lookupSelf(token.value) === null) {
    throw new AgentError("BAO_TOKEN_DEAD", "OpenBao does not know the token");
  }
  const leftS = lifeLeftS(factsOfToken(token), agent.ports.clock.now());
  return `from a ${token.source}, alive, ${leftS} s left`;
}

async function checkTenancy(agent: Agent): Promise<string | Omit<Finding, "name">> {
  const { state, session } = await readMemory(agent, { repair: false });
  if (session.token === null) {
    return { state: "warn", detail: "not asked: there is no token", fix: null };
  }
  const { containers } = await observeContainers(agent);
  const reply = await checkIn(agent, session.token.value, { state, containers });
  const { desired } = reply;
  return desired.state === "absent"
    ? "answers, wants nothing to run"
    : `answers, wants ${desired.sha.slice(0, 12)}`;
}

function mib(bytes: number): number {
  return Math.floor(bytes / (1 << 20));
}
