/** The step that fetches images, with the accounts of private registries for as long as it runs. */

import type { RegistryLogin } from "../clients/registry_accounts.ts";
import { pullAlwaysArgs, pullArgs } from "../core/compose_argv.ts";
import type { StepArgs } from "../core/step.ts";
import type { Agent } from "./agent.ts";
import { composeCall, runCompose, targetOf } from "./compose_calls.ts";
import { need, type Work } from "./work.ts";

/**
 * Fetches missing images, and those that the files want asked for at every apply, since their tags
 * may have moved (`pull_policy: always`); never those that must be there (`never`). Throws IMAGE_*,
 * REGISTRY_*, PULL_FAILED, DISK_FULL, STEP_TIMEOUT.
 */
export async function pullStep(
  agent: Agent,
  { sha }: StepArgs["pull"],
  work: Work,
): Promise<void> {
  // Labels change nothing of what is pulled, and a second file costs compose a tenth of its time.
  const target = targetOf(agent, sha, { folder: "release", override: false });
  const services = work.model?.services ?? [];
  const moving = services.filter((each) => each.pullsAlways && each.replicas > 0)
    .map((each) => each.name);
  const pulled = services.filter((each) => !each.pullsNever).map((each) => each.name);
  const isAll = pulled.length === services.length;
  const pulls = [
    ...isAll || pulled.length > 0 ? [pullArgs(target, isAll ? [] : pulled)] : [],
    ...moving.length > 0 ? [pullAlwaysArgs(target, moving)] : [],
  ];
  const logins = loginsOf(work);
  try {
    if (logins.length > 0) await agent.registries.write(logins);
    for (const args of pulls) {
      const timeoutS = agent.config.timeouts.pullS;
      const call = composeCall(agent, args, { timeoutS, cwd: target.projectDir });
      await runCompose(agent, call, { step: "pull", work });
    }
  } finally {
    if (logins.length > 0) await agent.registries.remove();
  }
}

/** The manifest's accounts, filled in with what OpenBao holds for this box. */
function loginsOf(work: Work): readonly RegistryLogin[] {
  const { registries } = need(work.bundle, "a bundle").manifest;
  return registries.map(({ host, usernameVar, passwordVar }) => ({
    host,
    username: need(work.values?.get(usernameVar) ?? null, `a value of ${usernameVar}`).value,
    password: need(work.values?.get(passwordVar) ?? null, `a value of ${passwordVar}`).value,
  }));
}
