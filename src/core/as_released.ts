/**
 * "Running as released" (SPEC §4): how a release's services ran when it was healthy, and whether a
 * later list of containers is still that. One list call decides; nothing is inspected. No label
 * names the release, since one that changes with every release would recreate everything
 * (facts: docker §2).
 */

import type { ComposeModel, ComposeService } from "../model/compose_model.ts";
import type { Container, Released, ReleasedService } from "../model/containers.ts";

/** How a service differs from its release. */
export type DriftReason =
  | "missing"
  | "never started"
  | "stopped"
  | "restarting"
  | "paused"
  | "unhealthy"
  | "dead"
  | "being removed"
  | "extra"
  | "changed image"
  | "changed config"
  /** A service of the project that is not the release's. */
  | "orphan"
  | "unknown state";

/** One service that does not run as it was released, by its first difference. */
export interface ServiceDrift {
  readonly service: string;
  readonly why: DriftReason;
  /** The containers that differ, or all of the service's when their number does. */
  readonly containerIds: readonly string[];
}

/** The outcome of a comparison. */
export type Comparison =
  | { readonly same: true }
  | { readonly same: false; readonly services: readonly ServiceDrift[] };

/**
 * Takes the list taken when the release was healthy and the resolved files; gives what is kept with
 * the release. A service that is not in the files and is there all the same, such as a leftover of a
 * profile that is no longer active, is kept with a count of 0: compose does not remove it either
 * (facts: docker §7), and trying each minute would not help.
 */
export function takeReleased(containers: readonly Container[], model: ComposeModel): Released {
  const declared = servicesAwaited(model);
  const entries = model.services
    .filter((service) => service.replicas > 0)
    .map((service): [string, ReleasedService] => {
      const own = containersOf(service.name, containers);
      return [service.name, {
        count: service.replicas,
        configHashes: distinct(own.map((each) => each.configHash)),
        imageIds: distinct(own.map((each) => each.imageId)),
        oneShot: mayHaveEnded(service, own, declared),
      }];
    });
  const known = new Set(entries.map(([name]) => name));
  const leftovers = strangers(known, containers).map((name): [string, ReleasedService] => [
    name,
    { count: 0, configHashes: [], imageIds: [], oneShot: false },
  ]);
  return Object.fromEntries([...entries, ...leftovers]);
}

/** Sorted names of the services that have containers and are not among the known. */
function strangers(
  known: ReadonlySet<string>,
  containers: readonly Container[],
): readonly string[] {
  return distinct(
    containers.filter((each) => !each.oneoff && !known.has(each.service))
      .map((each) => each.service),
  );
}

/** Takes a release's services and a list of containers; gives what differs, in order of service. */
export function compareReleased(
  released: Released,
  containers: readonly Container[],
): Comparison {
  const services = Object.entries(released).sort(([a], [b]) => a < b ? -1 : 1);
  const survives = services.some(([name, service]) =>
    !service.oneShot && containersOf(name, containers).length > 0
  );
  const drifts = services.flatMap(([name, service]): readonly ServiceDrift[] => {
    if (service.count === 0) return [];
    const own = containersOf(name, containers);
    // Pruning stopped containers takes finished one-shots away: their work is done, and running a
    // migration again is worse than the gap. With everything gone, they belong to the new start.
    if (own.length === 0 && service.oneShot && survives) return [];
    const drift = driftOf(service, own);
    return drift === null ? [] : [{ service: name, ...drift }];
  });
  const orphans = strangers(new Set(Object.keys(released)), containers).map((name) => ({
    service: name,
    why: "orphan" as const,
    containerIds: containersOf(name, containers).map((each) => each.id),
  }));
  const all = [...drifts, ...orphans];
  return all.length === 0 ? { same: true } : { same: false, services: all };
}

function driftOf(
  released: ReleasedService,
  own: readonly Container[],
): Pick<ServiceDrift, "why" | "containerIds"> | null {
  const all = own.map((each) => each.id);
  for (const container of own) {
    const why = whyNotAsReleased(released, container);
    if (why !== null) {
      const same = own.filter((each) => whyNotAsReleased(released, each) === why);
      return { why, containerIds: same.map((each) => each.id) };
    }
  }
  if (own.length < released.count) return { why: "missing", containerIds: all };
  // An interrupted recreate leaves the old and the new container side by side (facts: docker §6).
  if (own.length > released.count) return { why: "extra", containerIds: all };
  return null;
}

function whyNotAsReleased(released: ReleasedService, container: Container): DriftReason | null {
  const state = whyBadState(released, container);
  if (state !== null) return state;
  if (!released.configHashes.includes(container.configHash)) return "changed config";
  if (!released.imageIds.includes(container.imageId)) return "changed image";
  return null;
}

function whyBadState(released: ReleasedService, container: Container): DriftReason | null {
  switch (container.state) {
    case "running":
      return container.health === "unhealthy" ? "unhealthy" : null;
    case "exited":
      return released.oneShot && container.exitCode === 0 ? null : "stopped";
    case "created":
      return "never started";
    case "restarting":
    case "paused":
    case "dead":
      return container.state;
    case "removing":
      return "being removed";
    default:
      return "unknown state";
  }
}

/**
 * A service that says nothing of restarts and ran when the release was healthy is a service, not a
 * one-shot: `docker stop` can leave exit code 0 as well, and the list does not tell the two apart.
 * One that says `restart: "no"` means to end, for to run a long migration again at every tick is
 * worse; but not one that publishes ports or has its health looked at.
 */
function mayHaveEnded(
  service: ComposeService,
  own: readonly Container[],
  awaited: ReadonlySet<string>,
): boolean {
  const isJob = service.mayEnd && service.ports.length === 0 && service.healthcheck === null;
  return isJob || service.restart === "on-failure" || awaited.has(service.name) ||
    own.some((each) => each.state === "exited" && each.exitCode === 0);
}

/** The services that others wait for to complete: declared one-shots, finished or not. */
function servicesAwaited(model: ComposeModel): ReadonlySet<string> {
  return new Set(
    model.services.flatMap((service) => service.dependsOn)
      .filter((each) => each.condition === "service_completed_successfully")
      .map((each) => each.service),
  );
}

function containersOf(service: string, containers: readonly Container[]): readonly Container[] {
  return containers.filter((each) => each.service === service && !each.oneoff);
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}
