/**
 * Health after an `up` or a repair (SPEC §4), judged by the agent from looks at the containers and
 * not by `up --wait`, which calls a crash loop healthy and a finished one-shot a failure
 * (facts: docker §7). Times are milliseconds of a clock that never jumps.
 */

import type { RestartPolicy } from "../model/compose_model.ts";
import type { Container, ContainerDetail, Healthcheck } from "../model/containers.ts";
import {
  type ContainerMemory,
  KILLED,
  rememberContainer,
  type Standing,
  standingOf,
} from "./health_container.ts";

/** One service as the resolved files want it. A ComposeService is one. */
export interface ExpectedService {
  readonly name: string;
  readonly replicas: number;
  readonly restart: RestartPolicy;
  readonly healthcheck: Healthcheck | null;
}

/** The rules of a watch. */
export interface HealthRules {
  /** `health_timeout_s`; a service whose healthcheck takes longer by its own times gets those. */
  readonly timeoutMs: number;
  /** `settle_s`: how long a service without a healthcheck must run untroubled. */
  readonly settleMs: number;
}

/** What was seen at one moment. */
export interface HealthSample {
  readonly atMs: number;
  /** The project's whole list. */
  readonly containers: readonly Container[];
  /** Of the containers that `containersToInspect` names, those that still exist. */
  readonly details: readonly ContainerDetail[];
}

/** A service that is not healthy (yet). */
export interface ServiceTrouble {
  readonly service: string;
  /** `exited with 3`, `restart loop, last exit 3`, `missing`, `unhealthy`, … */
  readonly cause: string;
  readonly exitCode: number | null;
  /** Where its last lines can be read. */
  readonly containerIds: readonly string[];
}

/** The judgement at one moment. */
export type HealthVerdict =
  | { readonly kind: "healthy" }
  | {
    readonly kind: "waiting";
    readonly waitingFor: readonly ServiceTrouble[];
    /** When the verdict is certain at the latest. */
    readonly untilMs: number;
  }
  /** Those that failed first, then all others that are not healthy at this moment. */
  | { readonly kind: "unhealthy"; readonly services: readonly ServiceTrouble[] };

/** A watch between its first look and the verdict: give the one of a look to the next. */
export interface HealthWatch {
  readonly expected: readonly ExpectedService[];
  readonly rules: HealthRules;
  readonly startedMs: number;
  /** By container id. */
  readonly memory: ReadonlyMap<string, ContainerMemory>;
  /** By service: since when it has had too few containers. */
  readonly missingSinceMs: ReadonlyMap<string, number>;
  /** By service: how long its healthcheck may take, as files and Engine tell. */
  readonly allowedMs: ReadonlyMap<string, number>;
}

const LOOK_EVERY_MS = 500;
/** The part of health_timeout_s after which restarts in a row are a loop; 30 s by default. */
const LOOP_AFTER = 0.25;

/** Takes the services and the rules; gives a watch that has not looked yet. */
export function startHealthWatch(
  expected: readonly ExpectedService[],
  { rules, nowMs }: { readonly rules: HealthRules; readonly nowMs: number },
): HealthWatch {
  return {
    expected: expected.filter((each) => each.replicas > 0),
    rules,
    startedMs: nowMs,
    memory: new Map(),
    missingSinceMs: new Map(),
    allowedMs: new Map(expected.map((each) => [each.name, allowanceMs(each.healthcheck)])),
  };
}

/**
 * Takes the watch and a list; gives the ids whose detail the next judgement needs: what can restart
 * unseen, and once each what has a healthcheck, since the image may set its times.
 */
export function containersToInspect(
  watch: HealthWatch,
  containers: readonly Container[],
): readonly string[] {
  const expected = new Set(watch.expected.map((each) => each.name));
  const needsDetail = (each: Container): boolean => {
    if (each.oneoff || !expected.has(each.service)) return false;
    if (each.state === "restarting") return true;
    // Killed: only the detail tells whether that was for want of memory.
    if (each.state === "exited" && each.exitCode === KILLED) return true;
    if (each.state !== "running") return false;
    if (each.health === "starting") return watch.memory.get(each.id)?.inspected !== true;
    return each.health === null;
  };
  return containers.filter(needsDetail).map((each) => each.id);
}

/**
 * Takes a watch that waits and the moment; gives the milliseconds until its next look: the pace, or
 * less when the last service will have run for `settle_s` before.
 */
export function untilNextLookMs(watch: HealthWatch, nowMs: number): number {
  const settledMs = Math.max(...[...watch.memory.values()].map((each) => each.sinceMs)) +
    watch.rules.settleMs;
  const leftMs = Math.ceil(settledMs - nowMs);
  return leftMs > 0 ? Math.min(leftMs, LOOK_EVERY_MS) : LOOK_EVERY_MS;
}

/** Takes a watch and what was seen; gives the watch to go on with, and the judgement. */
export function judgeHealth(
  watch: HealthWatch,
  sample: HealthSample,
): { readonly watch: HealthWatch; readonly verdict: HealthVerdict } {
  const views = watch.expected.map((service) => viewService(service, watch, sample));
  const bad = views.filter((view) => view.standing.kind !== "good");
  const next: HealthWatch = {
    ...watch,
    memory: new Map(views.flatMap((view) => [...view.memory])),
    missingSinceMs: new Map(
      views.flatMap((view) =>
        view.missingSinceMs === null ? [] : [[view.service, view.missingSinceMs]]
      ),
    ),
    allowedMs: new Map(views.map((view) => [view.service, view.allowedMs])),
  };
  return { watch: next, verdict: verdictOf(bad, sample.atMs) };
}

/** A service at one look, judged. */
interface ServiceView {
  readonly service: string;
  readonly standing: Standing;
  readonly containerIds: readonly string[];
  readonly memory: ReadonlyMap<string, ContainerMemory>;
  readonly missingSinceMs: number | null;
  readonly allowedMs: number;
  /** When the service counts as failed if it stays as it is. */
  readonly deadlineMs: number;
}

function viewService(
  service: ExpectedService,
  watch: HealthWatch,
  sample: HealthSample,
): ServiceView {
  const { rules, startedMs } = watch;
  const own = sample.containers.filter((each) => each.service === service.name && !each.oneoff);
  const looks = own.map((container) => {
    const look = {
      container,
      detail: sample.details.find((each) => each.id === container.id) ?? null,
      restart: service.restart,
      before: watch.memory.get(container.id) ?? null,
      nowMs: sample.atMs,
      settleMs: rules.settleMs,
      loopAfterMs: rules.timeoutMs * LOOP_AFTER,
      watchedMs: sample.atMs - startedMs,
    };
    const memory = rememberContainer(look);
    return { id: container.id, detail: look.detail, memory, standing: standingOf(look, memory) };
  });

  const isMissing = own.length < service.replicas;
  const missingSinceMs = isMissing ? watch.missingSinceMs.get(service.name) ?? sample.atMs : null;
  const standing = worstOf([
    ...looks.map((each) => each.standing),
    ...(isMissing ? [{ kind: "stuck", cause: "missing", exitCode: null } as const] : []),
  ]);
  const allowedMs = Math.max(
    watch.allowedMs.get(service.name) ?? 0,
    ...looks.map((each) => allowanceMs(each.detail?.healthcheck ?? null)),
  );
  const stuckSinceMs = looks.filter((each) => each.standing.kind === "stuck")
    .map((each) => each.memory.sinceMs);
  // A timeout below settle_s could never end well: settling gets its time, and one new start.
  const patientMs = startedMs + Math.max(rules.timeoutMs, allowedMs, 2 * rules.settleMs);
  // Nothing will change a stuck service any more; it still gets the time that `up` may have left
  // it in passing.
  const stuckMs = Math.min(...stuckSinceMs, missingSinceMs ?? Infinity) + rules.settleMs;
  return {
    service: service.name,
    standing,
    containerIds: looks.filter((each) => each.standing.kind !== "good").map((each) => each.id),
    memory: new Map(looks.map((each) => [each.id, each.memory])),
    missingSinceMs,
    allowedMs,
    deadlineMs: standing.kind === "stuck" ? Math.min(stuckMs, patientMs) : patientMs,
  };
}

const SEVERITY: Readonly<Record<Standing["kind"], number>> = {
  good: 0,
  coming: 1,
  stuck: 2,
  failed: 3,
};

function worstOf(standings: readonly Standing[]): Standing {
  return standings.reduce(
    (worst, each) => SEVERITY[each.kind] > SEVERITY[worst.kind] ? each : worst,
    { kind: "good", cause: "", exitCode: null },
  );
}

function verdictOf(bad: readonly ServiceView[], nowMs: number): HealthVerdict {
  const isOver = (view: ServiceView): boolean =>
    view.standing.kind === "failed" || nowMs >= view.deadlineMs;
  const failed = bad.filter(isOver);
  const waiting = bad.filter((view) => !isOver(view));
  if (failed.length > 0) {
    return { kind: "unhealthy", services: [...failed, ...waiting].map(troubleOf) };
  }
  if (waiting.length > 0) {
    const untilMs = Math.max(...waiting.map((view) => view.deadlineMs));
    return { kind: "waiting", waitingFor: waiting.map(troubleOf), untilMs };
  }
  return { kind: "healthy" };
}

function troubleOf({ service, standing, containerIds }: ServiceView): ServiceTrouble {
  return { service, cause: standing.cause, exitCode: standing.exitCode, containerIds };
}

/**
 * How long a healthcheck may honestly take until it says healthy or unhealthy (case 24). Since Engine
 * 25 the first look that counts comes up to one start interval after the start period.
 */
function allowanceMs(healthcheck: Healthcheck | null): number {
  if (healthcheck === null) return 0;
  const { intervalMs, timeoutMs, retries, startPeriodMs, startIntervalMs } = healthcheck;
  const startMs = startPeriodMs === 0 ? 0 : startPeriodMs + timeoutMs + startIntervalMs;
  return startMs + retries * (intervalMs + timeoutMs);
}
