/** The services as check-ins and reports name them (SPEC §3): one entry a service, its worst container. */

import type { Container, Released, ServiceStatus } from "../model/containers.ts";

/** Worst first: what an operator wants to see of a service with several containers. */
const STATES = ["dead", "removing", "exited", "restarting", "created", "paused", "running"];
const HEALTHS = ["unhealthy", "starting", "healthy"];

/** Takes the project's containers; gives its services sorted by name, one-off containers left out. */
export function servicesOf(containers: readonly Container[]): readonly ServiceStatus[] {
  const byService = new Map<string, Container[]>();
  for (const container of containers.filter((each) => !each.oneoff)) {
    byService.set(container.service, [...byService.get(container.service) ?? [], container]);
  }
  return [...byService.entries()]
    .sort(([left], [right]) => left < right ? -1 : 1)
    .map(([name, own]) => statusOf(name, own));
}

function statusOf(name: string, own: readonly Container[]): ServiceStatus {
  const [worst] = [...own].sort((left, right) => badness(left) - badness(right));
  return {
    name,
    state: worst?.state ?? "missing",
    health: worst?.health ?? null,
    image: worst?.image ?? "",
  };
}

/** The lower, the worse. */
function badness(container: Container): number {
  const state = STATES.indexOf(container.state);
  const health = container.health === null ? HEALTHS.length : HEALTHS.indexOf(container.health);
  return (state < 0 ? 0 : state) * 10 + health;
}

/** How many services there are. */
export interface ServiceCounts {
  /** Services of the release that have to run: one-shots and leftovers do not count. */
  readonly wanted: number;
  /** Those of them that run and are not unhealthy or starting; null: the Engine cannot be asked. */
  readonly up: number | null;
}

/** Takes the list kept with the release and the containers, null when unknown; gives the counts. */
export function countServices(
  released: Released | null,
  containers: readonly Container[] | null,
): ServiceCounts {
  const wanted = Object.entries(released ?? {})
    .filter(([, { count, oneShot }]) => count > 0 && !oneShot)
    .map(([name]) => name);
  if (containers === null) return { wanted: wanted.length, up: null };
  const up = new Set(servicesOf(containers).filter(isUp).map(({ name }) => name));
  return { wanted: wanted.length, up: wanted.filter((name) => up.has(name)).length };
}

function isUp({ state, health }: ServiceStatus): boolean {
  return state === "running" && (health === null || health === "healthy");
}
