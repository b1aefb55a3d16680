/**
 * What a tick that finds all as it should be still has to note (SPEC §4): mostly nothing, and then
 * the very same state comes back, so that nothing is written. Pure.
 */

import type { AgentState, AppliedRelease } from "../model/state.ts";
import type { Desired } from "../model/tenancy_wire.ts";

/** Takes the state and what is desired and runs; gives the state to keep, the same one when nothing changed. */
export function settleConverged(state: AgentState, desired: Desired): AgentState {
  return withDesiredSerial(withoutOldFailure(state), desired);
}

/**
 * A release that runs as it should has not failed, whatever happened to it earlier; and a failure of
 * one that nobody wants any more is over, but for a quarantine: `on_failure: restore` has brought the
 * applied one back, and a box that is asked for the same sha once more must still know.
 */
function withoutOldFailure(state: AgentState): AgentState {
  const { failed, applied } = state;
  if (failed === null) return state;
  const isOver = applied === null || failed.sha === applied.sha || !failed.quarantined;
  return isOver ? { ...state, failed: null } : state;
}

/**
 * The same files published again have the same sha and a higher serial. The rollback rule compares
 * with the serial that tenancy named last, or what lies between the two would pass for newer. It only
 * ever rises here, so that the rule can only become stricter.
 */
function withDesiredSerial(state: AgentState, desired: Desired): AgentState {
  const { applied } = state;
  if (applied === null || desired.state === "absent" || desired.sha !== applied.sha) return state;
  const { serial } = desired;
  if (serial === null || (applied.serial !== null && serial <= applied.serial)) return state;
  const renumbered = (release: AppliedRelease): AppliedRelease =>
    release.sha === applied.sha ? { ...release, serial } : release;
  return { ...state, applied: renumbered(applied), history: state.history.map(renumbered) };
}
