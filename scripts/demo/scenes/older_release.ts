/** A refusal: a serial below the applied one (SPEC §4, Rollback). */

import type { Check } from "../check.ts";
import { answers, exits, leases, reports, startsNothing, webUntouched } from "../expect.ts";
import type { Scene, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

/** Tenancy names a release that was replaced long ago. */
export const OLDER_RELEASE: Scene = {
  name: "older release, refused without a lease",
  why: "A control plane restored from a backup must not roll a fleet back by accident. The agent " +
    "declines before it spends a lease or touches a container.",
  async prepare(story): Promise<Setting> {
    const old = story.release(1);
    await story.box.tenancy.setDesired(story.box.env, old.sha);
    return {
      wanted: `${nameOf(old)}, although release 2 is applied`,
      meanwhile: "tenancy was restored from last week's backup",
    };
  },
  async examine(story, seen): Promise<readonly Check[]> {
    return [
      exits(seen, 1),
      reports(seen, "failed", "ROLLBACK_REFUSED"),
      leases(seen, 0),
      startsNothing(seen),
      webUntouched(seen),
      await answers(story, { web: "2.0", apiKeyVersion: 2 }),
    ];
  },
};
