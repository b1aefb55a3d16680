/** The applied release as it lies on disk, beside the desired one: what `plan` compares. */

import { diffReleases, pinnedVersions, readVersions } from "../core/release_diff.ts";
import type { ReleaseDiff, ReleaseFacts } from "../core/release_diff.ts";
import type { EnvPlan } from "../core/render/env_plan.ts";
import { AgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { type ComposeTree, parseComposeFile } from "../model/compose_file.ts";
import type { AgentState } from "../model/state.ts";
import type { Agent } from "./agent.ts";
import { planBundleEnv } from "./env.ts";
import { readStagedBundle, type StagedTexts } from "./staged.ts";

/**
 * Takes the state and the desired bundle (`env` null: it was refused); gives what differs from the
 * applied release, or from nothing. Throws FILE_UNREADABLE.
 */
export async function compareWithApplied(
  agent: Agent,
  state: AgentState,
  { bundle, env }: { readonly bundle: Bundle; readonly env: EnvPlan | null },
): Promise<ReleaseDiff> {
  return diffReleases(await appliedFacts(agent, state), {
    files: bundle.files,
    document: documentOf(bundle.compose),
    variables: env === null ? variablesOf(bundle) : [...env.variables.keys()],
    secrets: pinnedVersions(bundle.manifest.entries),
  });
}

/** Null: nothing is applied, or its release is not on disk any more. */
async function appliedFacts(agent: Agent, state: AgentState): Promise<ReleaseFacts | null> {
  const { applied, secrets } = state;
  if (applied === null || !await agent.releases.isComplete(applied.sha)) return null;
  const texts = await readStagedBundle(agent, applied.sha);
  return {
    files: await agent.releases.files(applied.sha),
    document: documentOf(texts.compose),
    variables: variablesOf(texts),
    secrets: readVersions(secrets),
  };
}

function documentOf(compose: string): ComposeTree | null {
  return orNull(() => parseComposeFile(compose, "docker-compose.yml"));
}

function variablesOf(texts: StagedTexts): readonly string[] {
  return [...orNull(() => planBundleEnv(texts))?.variables.keys() ?? []];
}

/** A bundle that is refused may not be readable: what of it can be compared still is. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}
