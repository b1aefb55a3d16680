/**
 * How one container stands at one look (SPEC §4 "Health"). Knows nothing of deadlines: health.ts
 * adds those and speaks for whole services. States and texts: facts: docker §1.
 */

import type { RestartPolicy } from "../model/compose_model.ts";
import type { Container, ContainerDetail } from "../model/containers.ts";

/** How a container, or a whole service, stands. */
export interface Standing {
  /**
   * `good`; `coming`: may become good by itself; `stuck`: nobody will change it any more;
   * `failed`: certain at once.
   */
  readonly kind: "good" | "coming" | "stuck" | "failed";
  /** For a person; empty when good. */
  readonly cause: string;
  readonly exitCode: number | null;
}

/** What is remembered of one container from look to look. */
export interface ContainerMemory {
  /** State, health and start of the container: changes when any of them does. */
  readonly phase: string;
  /** Since when the phase is the same. */
  readonly sinceMs: number;
  /** Restarts at the first look; earlier ones are not this release's fault. Null: not known yet. */
  readonly firstRestarts: number | null;
  readonly lastExit: number | null;
  /** It was unhealthy when the watch began and has been since: `up` leaves such a one alone. */
  readonly carriedOver: boolean;
  /** Its detail was seen, so its healthcheck's times are known. */
  readonly inspected: boolean;
}

/** One look at one container. */
export interface ContainerLook {
  readonly container: Container;
  /** Null when it was not asked for, or was gone. */
  readonly detail: ContainerDetail | null;
  readonly restart: RestartPolicy;
  /** From the look before; null the first time. */
  readonly before: ContainerMemory | null;
  readonly nowMs: number;
  readonly settleMs: number;
  /** From when on a series of restarts is a loop. */
  readonly loopAfterMs: number;
  /** How long the watch has lasted. */
  readonly watchedMs: number;
}

/** Fewer restarts are no loop: the Engine's pauses double, so many take some three seconds. */
const LOOP_RESTARTS = 5;

/** The exit code of what was killed by SIGKILL, as the kernel does to what takes too much memory. */
export const KILLED = 137;

const GOOD: Standing = { kind: "good", cause: "", exitCode: null };

/** Takes a look; gives what to remember of it. */
export function rememberContainer(look: ContainerLook): ContainerMemory {
  const { container, detail, before, nowMs } = look;
  const run = detail === null ? "" : `${detail.restarts}@${detail.startedAt}`;
  const phase = `${container.state} ${container.health} ${run}`;
  const isUnhealthy = container.state === "running" && container.health === "unhealthy";
  return {
    phase,
    sinceMs: before !== null && before.phase === phase ? before.sinceMs : nowMs,
    firstRestarts: before?.firstRestarts ?? detail?.restarts ?? null,
    lastExit: container.exitCode ?? exitOfRestarting(detail) ?? before?.lastExit ?? null,
    carriedOver: isUnhealthy && (before === null ? look.watchedMs === 0 : before.carriedOver),
    inspected: (before?.inspected ?? false) || detail !== null,
  };
}

/** The Engine shows 0 while a container runs again; the real code only while it restarts. */
function exitOfRestarting(detail: ContainerDetail | null): number | null {
  return detail !== null && detail.state === "restarting" ? detail.exitCode : null;
}

/** Takes a look and what is remembered of it; gives how the container stands. */
export function standingOf(look: ContainerLook, memory: ContainerMemory): Standing {
  switch (look.container.state) {
    case "running":
      return standingOfRunning(look, memory);
    case "restarting":
      return loopOf(look, memory) ?? {
        kind: "coming",
        cause: `restarting, last exit ${memory.lastExit ?? "unknown"}`,
        exitCode: memory.lastExit,
      };
    case "exited":
      return standingOfExited(look);
    case "created":
      return { kind: "stuck", cause: "created but never started", exitCode: null };
    case "removing":
      return { kind: "coming", cause: "being removed", exitCode: null };
    default:
      return { kind: "stuck", cause: look.container.state, exitCode: null };
  }
}

function standingOfRunning(look: ContainerLook, memory: ContainerMemory): Standing {
  switch (look.container.health) {
    case "healthy":
      return GOOD;
    case "starting":
      return loopOf(look, memory) ??
        { kind: "coming", cause: "healthcheck still starting", exitCode: memory.lastExit };
    case "unhealthy":
      return {
        kind: memory.carriedOver ? "coming" : "failed",
        cause: "unhealthy",
        exitCode: null,
      };
    case null:
      if (look.nowMs - memory.sinceMs >= look.settleMs) return GOOD;
      return loopOf(look, memory) ??
        { kind: "coming", cause: settling(look, memory), exitCode: memory.lastExit };
  }
}

function settling(look: ContainerLook, memory: ContainerMemory): string {
  const restarts = restartsSeen(look, memory);
  return restarts === 0
    ? `running, watched for ${look.settleMs} ms`
    : `restarted ${restarts} times, last exit ${memory.lastExit ?? "unknown"}`;
}

function standingOfExited({ container, detail, restart }: ContainerLook): Standing {
  const { exitCode } = container;
  if (exitCode !== 0) {
    const cause = `exited with ${exitCode ?? "an unknown code"}${whyKilled(detail)}`;
    return { kind: "failed", cause, exitCode };
  }
  if (restart === "no" || restart === "on-failure") return GOOD;
  return { kind: "stuck", cause: `exited with 0 although restart is ${restart}`, exitCode };
}

/** A service may well crash until its database answers: only time tells that from a loop. */
function loopOf(look: ContainerLook, memory: ContainerMemory): Standing | null {
  const { watchedMs, loopAfterMs } = look;
  if (restartsSeen(look, memory) < LOOP_RESTARTS || watchedMs < loopAfterMs) return null;
  const cause = `restart loop, last exit ${memory.lastExit ?? "unknown"}${whyKilled(look.detail)}`;
  return { kind: "failed", cause, exitCode: memory.lastExit };
}

/** The Engine knows when the kernel killed for memory; 137 alone may also be a stop that took too long. */
function whyKilled(detail: ContainerDetail | null): string {
  return detail?.oomKilled === true ? " (out of memory)" : "";
}

/** Takes a container; says whether it has failed for certain, by the list alone: its log tells why. */
export function hasFailed({ oneoff, state, health, exitCode }: Container): boolean {
  if (oneoff) return false;
  return health === "unhealthy" || state === "restarting" || (state === "exited" && exitCode !== 0);
}

function restartsSeen({ detail }: ContainerLook, { firstRestarts }: ContainerMemory): number {
  return (detail?.restarts ?? 0) - (firstRestarts ?? 0);
}
