/**
 * Whether the box runs what it should, for `doctor`: a release that fails or a service that is
 * stopped keeps no tick from its work, so this warns and never fails. Pure; what runs in full stands
 * in `status`.
 */

import type { Container } from "../../model/containers.ts";
import type { LastTick } from "../../model/last_tick.ts";
import type { AgentState } from "../../model/state.ts";
import { compareReleased } from "../as_released.ts";
import { short } from "../decide.ts";
import { sayMoment } from "../say_time.ts";
import { ok, type Verdict, warn } from "./verdict.ts";

/** The applied release on disk. */
export interface DiskFacts {
  /** Its folder holds what its sha names, and all that bringing it up needs. */
  readonly intact: boolean;
  /** Its files that the project's folder lacks, by path. */
  readonly missing: readonly string[];
}

/** What was looked at. */
export interface ReleaseFacts {
  readonly state: AgentState;
  /** Null: the Engine cannot be asked. */
  readonly containers: readonly Container[] | null;
  /** Null: nothing was applied, or it cannot be read. */
  readonly disk: DiskFacts | null;
  /** Null: no tick has kept anything yet. */
  readonly lastTick: LastTick | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

const MAX_NAMED = 5;
const STATUS = "monky-deployd status";

/**
 * Takes what was looked at; gives the verdict: a release that fails first, then what does not run,
 * then what a running service has lost on disk.
 */
export function judgeRelease(facts: ReleaseFacts): Verdict {
  const { state, containers, disk, lastTick, now } = facts;
  const { failed, released, applied } = state;
  if (failed !== null) {
    const times = failed.attempts === 1 ? "" : `, ${failed.attempts} times`;
    const when = sayMoment(failed.at, now);
    return warn(
      `release ${short(failed.sha)} fails with ${failed.code}${times}, last ${when}`,
      STATUS,
    );
  }
  const drift = driftOf({ released, containers });
  if (drift.length > 0) return warn(`not as released: ${someOf(drift)}`, STATUS);
  const trouble = lastTick?.trouble ?? null;
  if (trouble !== null) {
    const since = sayMoment(Date.parse(trouble.since), now);
    return warn(`ticks end with ${trouble.code} since ${since}`, STATUS);
  }
  if (applied === null) return ok("nothing was applied yet");
  if (disk !== null && !(disk.intact && disk.missing.length === 0)) {
    return warn(damageOf(disk, short(applied.sha)), bringBack(state));
  }
  const seen = containers === null ? "was applied" : "runs as released";
  return ok(`release ${short(applied.sha)} ${seen}`);
}

function damageOf({ intact, missing }: DiskFacts, sha: string): string {
  const damage = [
    ...(intact ? [] : [`release ${sha} was changed on disk`]),
    ...(missing.length === 0 ? [] : [`the project's folder lacks ${someOf(missing)}`]),
  ];
  return damage.join("; ");
}

/** A tick that has to bring a container back brings back what it needs as well. */
function bringBack({ project }: Pick<AgentState, "project">): string {
  return `docker ps --filter label=com.docker.compose.project=${project}, then docker rm -f what ` +
    "needs it: the next tick brings both back";
}

function someOf(all: readonly string[]): string {
  const more = all.length > MAX_NAMED ? `, and ${all.length - MAX_NAMED} more` : "";
  return `${all.slice(0, MAX_NAMED).join(", ")}${more}`;
}

/** What differs, a clause each: `web stopped`. */
function driftOf(
  { released, containers }: Pick<AgentState, "released"> & Pick<ReleaseFacts, "containers">,
): readonly string[] {
  if (released === null || containers === null) return [];
  const comparison = compareReleased(released, containers);
  return comparison.same ? [] : comparison.services.map(({ service, why }) => `${service} ${why}`);
}
