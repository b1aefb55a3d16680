/** Asks the Engine for what must be there before `up` (SPEC §4); core judges the answers. */

import { neededBeforeUp, refuseBeforeUp } from "../core/before_up.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import type { Agent } from "./agent.ts";

/**
 * Looks whether `up` could fail half-way; touches nothing. Throws NETWORK_MISSING, VOLUME_MISSING,
 * IMAGE_NOT_FOUND, PORT_IN_USE, NAME_CONFLICT, DOCKER_*.
 */
export async function checkBeforeUp(
  agent: Pick<Agent, "docker">,
  model: ComposeModel,
): Promise<void> {
  const { docker } = agent;
  const { networks, volumes, images } = neededBeforeUp(model);
  const publishes = model.services.some(({ ports }) => ports.some((each) => each.published));
  const [present, missingNetworks, missingVolumes, heldPorts, heldNames] = await Promise.all([
    images.length === 0 ? new Map() : docker.images(images),
    absentOf(networks, (name) => docker.hasNetwork(name)),
    absentOf(volumes, (name) => docker.hasVolume(name)),
    publishes ? docker.heldPorts() : [],
    docker.heldNames(),
  ]);
  const missingImages = images.filter((ref) => !present.has(ref));
  const refusal = refuseBeforeUp(model, {
    missingNetworks,
    missingVolumes,
    missingImages,
    heldPorts,
    heldNames,
  });
  if (refusal !== null) throw refusal;
}

async function absentOf(
  names: readonly string[],
  exists: (name: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const absent: string[] = [];
  for (const name of names) if (!await exists(name)) absent.push(name);
  return absent;
}
