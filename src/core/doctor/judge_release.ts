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

/** What was looked at. */
export interface ReleaseFacts {
  readonly state: AgentState;
  /** Null: the Engine cannot be asked. */
  readonly containers: readonly Container[] | null;
  /** Null: no tick has kept anything yet. */
  readonly lastTick: LastTick | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

const MAX_NAMED = 5;
const STATUS = "monky-deployd status";

/** Takes what was looked at; gives the verdict: a release that fails first, then what does not run. */
export function judgeRelease({ state, containers, lastTick, now }: ReleaseFacts): Verdict {
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
  if (drift.length > 0) {
    const more = drift.length > MAX_NAMED ? `, and ${drift.length - MAX_NAMED} more` : "";
    return warn(`not as released: ${drift.slice(0, MAX_NAMED).join(", ")}${more}`, STATUS);
  }
  const trouble = lastTick?.trouble ?? null;
  if (trouble !== null) {
    const since = sayMoment(Date.parse(trouble.since), now);
    return warn(`ticks end with ${trouble.code} since ${since}`, STATUS);
  }
  if (applied === null) return ok("nothing was applied yet");
  const seen = containers === null ? "was applied" : "runs as released";
  return ok(`release ${short(applied.sha)} ${seen}`);
}

/** What differs, a clause each: `web stopped`. */
function driftOf(
  { released, containers }: Pick<AgentState, "released"> & Pick<ReleaseFacts, "containers">,
): readonly string[] {
  if (released === null || containers === null) return [];
  const comparison = compareReleased(released, containers);
  return comparison.same ? [] : comparison.services.map(({ service, why }) => `${service} ${why}`);
}
