/** How the engine runs compose: the target of a release, the child's environment, the progress. */

import type { Compose, ComposeCall, ComposeOutcome } from "../clients/compose.ts";
import {
  composeEnvironment,
  type ComposeTarget,
  configArgs,
  versionArgs,
} from "../core/compose_argv.ts";
import {
  classifyComposeFailure,
  type ComposeStep,
  refuseEmptyModel,
} from "../core/compose_failure.ts";
import { lifelineSocket } from "../core/permissions.ts";
import { AgentError } from "../errors.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import { plainText } from "../model/plain_text.ts";
import type { Agent } from "./agent.ts";
import type { Work } from "./work.ts";

const VERSION_TIMEOUT_S = 10;
const EVIDENCE_LINES = 30;

/**
 * Gives a release as compose is told of it. `project`: the stable folder, for what starts
 * containers; `release`: the release's own, to look at it before the stable one is changed.
 */
export function targetOf(
  agent: Agent,
  sha: string,
  options: { readonly folder: "project" | "release"; readonly override: boolean },
): ComposeTarget {
  const paths = agent.releases.paths(sha);
  return {
    project: agent.config.composeProject,
    projectDir: options.folder === "project" ? paths.project : paths.root,
    file: paths.compose,
    overrideFile: options.override ? paths.override : null,
    envFile: paths.env,
    profiles: [],
  };
}

/** Gives one call of compose with the child's whole environment; progress goes to the log, masked. */
export function composeCall(
  agent: Agent,
  args: readonly string[],
  { timeoutS, cwd }: { readonly timeoutS: number; readonly cwd: string },
): ComposeCall {
  const { config, ports } = agent;
  return {
    args,
    env: composeEnvironment({
      home: config.stateDir,
      dockerConfigDir: `${config.stateDir}/docker`,
      dockerHost: `unix://${config.docker.socket}`,
      lifeline: lifelineSocket(config),
    }),
    cwd,
    lifeline: lifelineSocket(config),
    timeoutMs: timeoutS * 1000,
    ...listenerOf(agent),
    signal: ports.signals.stop,
  };
}

/**
 * Cleaning and masking a line costs more than a child takes to print it: only where it is shown.
 */
function listenerOf({ ports, mask }: Agent): Pick<ComposeCall, "onProgress"> {
  const { log, watch } = ports;
  const isLogged = log.shows?.("debug") ?? false;
  if (!isLogged && watch === undefined) return {};
  return {
    onProgress: (line) => {
      watch?.progress(line);
      if (isLogged) log.write("debug", "compose", { says: mask.apply(plainText(line)).trim() });
    },
  };
}

/** Gives the plugin's version. Throws COMPOSE_MISSING when the file is no compose. */
export async function composeVersion(agent: Agent): Promise<string> {
  const { lifeline: _unneeded, ...call } = composeCall(agent, versionArgs(), {
    timeoutS: VERSION_TIMEOUT_S,
    cwd: "/",
  });
  return await (await agent.compose()).version(call);
}

/** Runs compose; throws what its failure means, and leaves its last lines as evidence. */
export async function runCompose(
  agent: Agent,
  call: ComposeCall,
  facts: { readonly step: ComposeStep; readonly work: Work },
): Promise<void> {
  const compose = await openCompose(agent);
  throwFailure(agent, await compose.run(call), { ...facts, timeoutMs: call.timeoutMs });
}

/** Compose needs the folder of its lifeline before it is started. */
async function openCompose(agent: Agent): Promise<Compose> {
  await agent.ports.files.makeDir(`${agent.config.stateDir}/.run`, 0o700);
  return await agent.compose();
}

/** What compose made of a release's files. */
export interface ResolvedFiles {
  readonly model: ComposeModel;
  /** The whole of it, for the policy: holds secrets, is never logged or written. */
  readonly resolved: unknown;
}

/**
 * Lets compose resolve a release's files. Throws COMPOSE_INVALID and its kin; what compose said is
 * kept nowhere, since its errors quote values (case 17).
 */
export async function resolveFiles(
  agent: Agent,
  target: ComposeTarget,
  work: Work,
): Promise<ResolvedFiles> {
  const timeoutS = agent.config.timeouts.validateS;
  const call = composeCall(agent, configArgs(target), { timeoutS, cwd: target.projectDir });
  const { onProgress: _silent, ...quiet } = call;
  const result = await (await openCompose(agent)).config(quiet);
  if (!result.ok) {
    const facts = { step: "validate", work, timeoutMs: call.timeoutMs } as const;
    throwFailure(agent, result.outcome, facts);
    throw new AgentError("INTERNAL", "a failed config was taken for a success");
  }
  const empty = refuseEmptyModel(result.model);
  if (empty !== null) throw empty;
  return { model: result.model, resolved: result.resolved };
}

function throwFailure(
  agent: Agent,
  outcome: ComposeOutcome,
  facts: { readonly step: ComposeStep; readonly work: Work; readonly timeoutMs: number },
): void {
  if (outcome.code === 0 && !outcome.timedOut && !outcome.aborted) return;
  const mask = (text: string): string => agent.mask.apply(text);
  if (facts.step !== "validate") {
    facts.work.evidence = outcome.stderrTail.slice(-EVIDENCE_LINES)
      .map((line) => mask(plainText(mask(line))))
      .join("\n");
  }
  const { work } = facts;
  const images = new Map(
    (work.model?.services ?? []).flatMap(({ name, image }) =>
      image === null ? [] : [[name, image]]
    ),
  );
  const accounts = work.bundle?.manifest.registries.map(({ host }) => host) ?? null;
  throw classifyComposeFailure({ ...outcome, ...facts, images, accounts, mask });
}
