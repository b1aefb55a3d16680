/** Kills at random instants, one after the other on one box: applies above all, repairs, removals. */

import type { Box } from "../box/box.ts";
import type { Moment } from "./kill_at.ts";
import { killApply, killRemoval, killRepair, type Outcome } from "./killed.ts";
import { publishRelease } from "./project.ts";

/** An apply of the project takes about so long, and changes about so many files. */
const APPLY_MS = 1_600;
const APPLY_CHANGES = 70;
const REPAIR_MS = 1_000;
const REMOVE_MS = 1_200;

/** One round: what was killed and what came of it. */
export interface Round {
  readonly name: string;
  readonly outcome: Outcome;
}

/** Plays the round with this number on a deployed box; the numbers come from `random`. */
export async function playRound(
  box: Box,
  { number, random }: { readonly number: number; readonly random: () => number },
): Promise<Round> {
  box.tenancy.record.clear();
  const revision = `r${number}`;
  const kind = random();
  if (kind < 0.1) {
    await publishRelease(box, { revision });
    await box.tick();
    box.tenancy.record.clear();
    const afterMs = Math.floor(random() * REMOVE_MS);
    const outcome = await killRemoval(box, () => ({ afterMs }));
    await publishRelease(box, { revision });
    await box.tick();
    return { name: `removal, ${afterMs} ms`, outcome };
  }
  if (kind < 0.25) {
    await publishRelease(box, { revision });
    await box.tick();
    box.tenancy.record.clear();
    const afterMs = Math.floor(random() * REPAIR_MS);
    const outcome = await killRepair(box, revision, () => ({ afterMs }));
    return { name: `repair, ${afterMs} ms`, outcome };
  }
  const slow = random() < 0.3;
  const moment: Moment = random() < 0.5
    ? { change: 1 + Math.floor(random() * APPLY_CHANGES) }
    : { afterMs: Math.floor(random() * (APPLY_MS + (slow ? 2_000 : 0))) };
  const release = { revision, ...(slow ? { graceS: 2 } : {}) };
  const outcome = await killApply(box, release, () => moment);
  const at = "change" in moment ? `change ${moment.change}` : `${moment.afterMs} ms`;
  return { name: `apply${slow ? " of a slow stop" : ""}, ${at}`, outcome };
}
