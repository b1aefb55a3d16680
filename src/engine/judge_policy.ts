/**
 * Holds what compose resolved against the host's policy (SPEC §9): gathers what the policy needs to
 * know of the box, lets it judge, and throws its refusal.
 */

import type { ComposeTarget } from "../core/compose_argv.ts";
import { refuseFindings } from "../core/policy/finding.ts";
import { engineSockets } from "../core/policy/engine_sockets.ts";
import { judgeModel } from "../core/policy/judge_model.ts";
import type { ModelFacts, PathFact } from "../core/policy/model_facts.ts";
import { bindsHostPaths, pathsToLookAt } from "../core/policy/paths.ts";
import { AgentError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { realPath } from "./real_path.ts";

/** What is judged. */
export interface Resolved {
  /** compose's whole output as JSON: holds secrets. */
  readonly resolved: unknown;
  /** What compose resolved it for. */
  readonly target: ComposeTarget;
  /** Files that compose reads from the project's folder; see core/policy/reach.ts. */
  readonly reads: readonly string[];
}

/** Judges; throws POLICY_DENIED or BIND_MISSING with every finding, FILE_UNREADABLE. */
export async function judgePolicy(agent: Agent, facts: Resolved): Promise<void> {
  const { config, mask } = agent;
  const place = placeFacts(agent, facts.target);
  const roots = [config.deployDir, ...config.policy.bindAllow];
  const paths = new Map<string, PathFact>();
  for (const path of pathsToLookAt(facts.resolved, place)) {
    paths.set(path, await realPath(agent.ports.files, path, roots));
  }
  const { socket, dataRoot } = config.docker;
  const isProxy = config.transport === "proxy";
  const findings = judgeModel(facts.resolved, {
    ...place,
    reads: facts.reads,
    sockets: engineSockets(socket, await agent.ports.files.readLink(socket)),
    dataRoot,
    meshRange: config.system.ipRange,
    agentPorts: isProxy ? [config.tenancy.proxyAddr.port, config.bao.proxyAddr.port] : [],
    paths,
  });
  const refusal = refuseFindings(findings, {
    allow: config.policy.allow,
    mask: (text) => mask.apply(text),
  });
  if (refusal === null) return;
  throw new AgentError(refusal.code, refusal.message, { data: refusal.data ?? {} });
}

/** Whether the files bind anything of the box that is no part of the bundle. */
export function bindsBeyondBundle(agent: Agent, facts: Omit<Resolved, "reads">): boolean {
  return bindsHostPaths(facts.resolved, placeFacts(agent, facts.target));
}

function placeFacts(
  agent: Agent,
  target: ComposeTarget,
): Pick<ModelFacts, "policy" | "deployDir" | "bundleDirs"> {
  const { config } = agent;
  const { project } = agent.releases.paths("");
  return {
    policy: config.policy,
    deployDir: config.deployDir,
    bundleDirs: [target.projectDir, project],
  };
}
