/** Asks the Engine for what must be there before `up` (SPEC §4); core judges the answers. */

import { type BeforeUpFacts, neededBeforeUp, refuseBeforeUp } from "../core/before_up.ts";
import { needsApiVersion } from "../core/unstartable.ts";
import type { ComposeModel } from "../model/compose_model.ts";
import type { LocalImage } from "../model/docker_wire.ts";
import type { Agent } from "./agent.ts";

/**
 * Looks whether `up` could fail half-way; touches nothing. Throws NETWORK_MISSING, VOLUME_MISSING,
 * IMAGE_NOT_FOUND, PORT_IN_USE, NAME_CONFLICT, COMPOSE_INVALID, DOCKER_*.
 */
export async function checkBeforeUp(
  agent: Pick<Agent, "docker">,
  model: ComposeModel,
  { composeVersion }: Pick<BeforeUpFacts, "composeVersion">,
): Promise<void> {
  const { docker } = agent;
  const { networks, volumes, images } = neededBeforeUp(model);
  const publishes = model.services.some(({ ports }) => ports.some((each) => each.published));
  const [present, missingNetworks, missingVolumes, heldPorts, heldNames, made, version] =
    await Promise.all([
      images.length === 0 ? new Map<string, LocalImage>() : docker.images(images),
      absentOf(networks, (name) => docker.hasNetwork(name)),
      absentOf(volumes, (name) => docker.hasVolume(name)),
      publishes ? docker.heldPorts() : [],
      docker.heldNames(),
      docker.networks(model.project),
      needsApiVersion(model) ? docker.version() : null,
    ]);
  const missingImages = images.filter((ref) => !present.has(ref));
  const refusal = refuseBeforeUp(model, {
    composeVersion,
    networks: made,
    apiVersion: version?.apiVersion ?? null,
    checkedImages: new Set(
      [...present].filter(([, image]) => image.hasHealthcheck).map(([ref]) => ref),
    ),
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
