/** What a lab's Engine and compose say they are: asked, and not taken from what was fetched. */

import { dockerCall } from "../../lab/docker_api.ts";
import { run } from "../../lab/process.ts";
import type { LabInfo } from "../../lab/info.ts";
import { isAtLeast, NEWER_COMPOSE, NEWER_ENGINE, versionIn } from "./packages.ts";

/**
 * Asks a lab which pair it runs on, and insists on the newer one.
 *
 * @param lab a running lab
 * @returns for a person: Engine, API and compose with their versions, then what the Engine runs on
 * @throws Error when one does not answer, or is older than what counts
 */
export async function askPair(lab: LabInfo): Promise<string> {
  const answer: unknown = JSON.parse(await dockerCall(lab.docker.socket, "GET", "/version"));
  const engine = answer as {
    readonly Version: string;
    readonly ApiVersion: string;
    readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
  };
  const plugin = await run([lab.compose.plugin, "version"], { timeoutMs: 10_000 });
  const compose = versionIn(plugin.stdout) ?? "unknown";
  const parts = (engine.Components ?? []).filter(({ Name }) => Name !== "Engine")
    .map(({ Name, Version }) => `${Name} ${Version}`);
  const pair = `Docker Engine ${engine.Version} (API ${engine.ApiVersion}), compose ${compose}`;
  if (
    !isAtLeast(engine.Version, NEWER_ENGINE.atLeast) || !isAtLeast(compose, NEWER_COMPOSE.atLeast)
  ) {
    throw new Error(
      `${pair}: Engine ${NEWER_ENGINE.atLeast} and compose ${NEWER_COMPOSE.atLeast} or newer count`,
    );
  }
  return [pair, ...parts].join(", ");
}
