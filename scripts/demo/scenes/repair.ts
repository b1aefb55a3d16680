/** What stopped is brought back from what lies on the box (SPEC §4, Repair). */

import { type Check, check } from "../check.ts";
import { answers, exits, leases, reports } from "../expect.ts";
import { killService } from "../look.ts";
import type { Scene, Seen, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

/** A container was killed behind the agent's back. */
export const REPAIR: Scene = {
  name: "container killed, repaired",
  why: "Nobody should have to get up at night because a container stopped.",
  async prepare(story): Promise<Setting> {
    await killService(story.box, "web");
    return {
      wanted: `still ${nameOf(story.release(2))}`,
      meanwhile: "somebody killed the container of web",
    };
  },
  async examine(story, seen): Promise<readonly Check[]> {
    return [
      check("web was down before", { expected: false, seen: seen.before.services["web"]?.running }),
      exits(seen, 0),
      reports(seen, "repaired"),
      await answers(story, { web: "2.0", apiKeyVersion: 2 }),
      startedAgain(seen),
      check("the secrets on disk were enough: OpenBao was not asked", {
        expected: 0,
        seen: seen.run.requests.bao,
      }),
      leases(seen, 0),
    ];
  },
};

function startedAgain({ before, after }: Seen): Check {
  const [old, now] = [before.services["web"], after.services["web"]];
  return check("the same container runs again", {
    expected: { id: old?.id ?? "a container", isLater: true },
    seen: { id: now?.id, isLater: (now?.startedAt ?? "") > (old?.startedAt ?? "") },
  });
}
