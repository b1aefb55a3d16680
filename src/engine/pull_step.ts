/** The step that fetches images, with the accounts of private registries for as long as it runs. */

import type { RegistryLogin } from "../clients/registry_accounts.ts";
import { pullArgs } from "../core/compose_argv.ts";
import type { StepArgs } from "../core/step.ts";
import type { Agent } from "./agent.ts";
import { composeCall, runCompose, targetOf } from "./compose_calls.ts";
import { need, type Work } from "./work.ts";

/** Fetches missing images. Throws IMAGE_*, REGISTRY_*, PULL_FAILED, DISK_FULL, STEP_TIMEOUT. */
export async function pullStep(
  agent: Agent,
  { sha }: StepArgs["pull"],
  work: Work,
): Promise<void> {
  const target = targetOf(agent, sha, { folder: "release", override: true });
  const timeoutS = agent.config.timeouts.pullS;
  const call = composeCall(agent, pullArgs(target), { timeoutS, cwd: target.projectDir });
  const logins = loginsOf(work);
  try {
    if (logins.length > 0) await agent.registries.write(logins);
    await runCompose(agent, call, { step: "pull", work });
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
