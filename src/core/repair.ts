/**
 * From drift to repair (SPEC §4): the gentlest action that fits each state, measured in
 * facts: docker §7. `up` does nothing to an unhealthy container and fails on a paused one, and it
 * starts finished one-shots again, so services are named one by one.
 */

import type { ComposeModel } from "../model/compose_model.ts";
import type { Container, Released } from "../model/containers.ts";
import type { DriftReason, ServiceDrift } from "./as_released.ts";

/** The flap limit of SPEC §4: so many repairs within so many milliseconds. */
export const FLAP_LIMIT = { repairs: 5, windowMs: 300_000 } as const;

/** What a repair acts on. */
export interface RepairTargets {
  /** Container ids to unpause, before anything else. */
  readonly unpause: readonly string[];
  /** Services for `up --no-deps`, sorted. */
  readonly start: readonly string[];
  /** Services for `up --no-deps --force-recreate`, sorted. */
  readonly recreate: readonly string[];
}

/** What a repair does, or why there is none. */
export type RepairPlan =
  | { readonly kind: "repair" } & RepairTargets
  /** The Engine is at it already, or a removal has to end first. */
  | { readonly kind: "none" }
  /** The images differ: only an apply fetches and checks images. */
  | { readonly kind: "apply" }
  /** Repairing has not helped often enough to go on before `until` (epoch milliseconds). */
  | { readonly kind: "flapping"; readonly until: number };

/** What the flap limit looks at. */
export interface RepairFacts {
  /** Epoch milliseconds of earlier repairs. */
  readonly repairs: readonly number[];
  /** Epoch milliseconds. */
  readonly now: number;
}

type Remedy = "start" | "recreate" | "unpause" | "apply" | "leave";

const REMEDY: Readonly<Record<DriftReason, Remedy>> = {
  "missing": "start",
  "never started": "start",
  "stopped": "start",
  "extra": "start",
  "changed config": "start",
  "unhealthy": "recreate",
  "dead": "recreate",
  "unknown state": "recreate",
  "paused": "unpause",
  "restarting": "leave",
  "being removed": "leave",
  "changed image": "apply",
  "orphan": "apply",
};

/** Takes what differs and the earlier repairs; gives what to do about it. */
export function planRepair(drifts: readonly ServiceDrift[], facts: RepairFacts): RepairPlan {
  const by = (remedy: Remedy): readonly ServiceDrift[] =>
    drifts.filter((each) => REMEDY[each.why] === remedy);
  if (drifts.length === by("leave").length) return { kind: "none" };
  const until = flapsUntil(facts);
  if (until !== null) return { kind: "flapping", until };
  if (by("apply").length > 0) return { kind: "apply" };
  return {
    kind: "repair",
    unpause: by("unpause").flatMap((each) => each.containerIds),
    start: by("start").map((each) => each.service).sort(),
    recreate: by("recreate").map((each) => each.service).sort(),
  };
}

/** Takes a repair; gives the services that compose is asked to bring up. */
export function broughtUpBy(plan: RepairPlan): readonly string[] {
  return plan.kind === "repair" ? [...plan.start, ...plan.recreate] : [];
}

/**
 * Takes a repair and the release's files; gives the repair with the services that hold a container
 * of a repaired one (`network_mode: service:…` and the like): they would go on in the namespace of
 * a container that is gone, and their list entry would not tell (facts: docker §3).
 */
export function includeTied<P extends RepairPlan>(plan: P, model: ComposeModel): P {
  if (plan.kind !== "repair") return plan;
  const touched = new Set([...plan.start, ...plan.recreate]);
  const tied = new Set<string>();
  for (let before = -1; before !== tied.size;) {
    before = tied.size;
    for (const { name, replicas, tiedTo } of model.services) {
      const holds = tiedTo.some((each) => touched.has(each) || tied.has(each));
      if (holds && replicas > 0 && !touched.has(name)) tied.add(name);
    }
  }
  return { ...plan, recreate: [...plan.recreate, ...tied].sort() };
}

/**
 * Takes the containers before an `up`; gives those that it may leave as they are although they are no
 * good. A paused one cannot answer its healthcheck.
 */
export function suspectContainers(before: readonly Container[]): readonly Container[] {
  return before.filter((each) => isStuck(each) || each.state === "paused");
}

/** Takes the suspects and the containers after the `up`; gives the services, sorted, that are stuck. */
export function stuckServices(
  suspects: readonly Container[],
  after: readonly Container[],
): readonly string[] {
  const known = new Set(suspects.map((each) => each.id));
  const stuck = after.filter((each) => known.has(each.id) && isStuck(each));
  return [...new Set(stuck.map((each) => each.service))].sort();
}

function isStuck({ oneoff, health, state }: Container): boolean {
  return !oneoff && (health === "unhealthy" || state === "dead");
}

/**
 * Takes the containers before and after an `up` that found no network; gives the services, sorted,
 * whose containers it has left as they were, stopped. A container knows its network by id: when that
 * was pruned meanwhile it can never start again, and has to be made anew.
 */
export function leftStopped(
  before: readonly Container[],
  after: readonly Container[],
): readonly string[] {
  const known = new Set(before.map((each) => each.id));
  const stopped = after.filter((each) =>
    !each.oneoff && known.has(each.id) && (each.state === "exited" || each.state === "created")
  );
  return [...new Set(stopped.map((each) => each.service))].sort();
}

/** What compose calls a new container until the old one of its name is gone (facts: docker §6). */
const PROVISIONAL = /^[0-9a-f]{12}_./;

/**
 * Takes the containers after an `up` and the release's files; gives the services, sorted, of which one
 * still has a provisional name: a rename was missed, as when two services pass a container_name on,
 * and every further `up` would call it up to date. Only a recreate gives it its name.
 */
export function misnamedServices(
  after: readonly Container[],
  model: ComposeModel,
): readonly string[] {
  const own = new Set(model.services.map((each) => each.containerName));
  const misnamed = after.filter((each) =>
    !each.oneoff && PROVISIONAL.test(each.name) && !own.has(each.name)
  );
  const known = new Set(model.services.map((each) => each.name));
  return [...new Set(misnamed.map((each) => each.service))].filter((name) => known.has(name))
    .sort();
}

/** A container, and the name that it is to be given. */
export interface NewName {
  readonly id: string;
  readonly name: string;
}

/**
 * Takes the containers before an `up` and the release's files; gives those that have the name that
 * another service's container_name asks for, each with a provisional one. `up` recreates services
 * side by side: when names are exchanged it fails, more often than not, with some of them stopped
 * (measured on 2.26.1). The name is not the one that compose itself gives the container's successor:
 * when the old names are wanted again, as after a kill or for a restore, it must be free.
 */
export function namesToFree(
  before: readonly Container[],
  model: ComposeModel,
): readonly NewName[] {
  const wanted = new Map(
    model.services.filter((each) => each.replicas > 0)
      .flatMap((each) => each.containerName === null ? [] : [[each.containerName, each.name]]),
  );
  return before.filter((each) => (wanted.get(each.name) ?? each.service) !== each.service)
    .map(({ id, name }) => ({ id, name: `${id.slice(0, 12)}_was_${name}` }));
}

/** Takes a repair and how the release ran; gives the image ids that its new containers need, sorted. */
export function imagesOfRepair(plan: RepairPlan, released: Released): readonly string[] {
  if (plan.kind !== "repair") return [];
  const ids = [...plan.start, ...plan.recreate].flatMap((name) => released[name]?.imageIds ?? []);
  return [...new Set(ids)].sort();
}

/**
 * Gives when the repairs of the window are few enough to go on, or null when they are now. A repair in
 * the future was noted by a clock that jumped: it counts for nothing.
 */
function flapsUntil({ repairs, now }: RepairFacts): number | null {
  const recent = repairs.filter((at) => at <= now && now - at <= FLAP_LIMIT.windowMs)
    .toSorted((left, right) => right - left);
  const oldest = recent[FLAP_LIMIT.repairs - 1];
  return oldest === undefined ? null : oldest + FLAP_LIMIT.windowMs + 1;
}
