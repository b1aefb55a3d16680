/** The tick that a box runs most: nothing differs, so nothing is done (SPEC §4, §13). */

import { type Check, check } from "../check.ts";
import { answers, exits, leases } from "../expect.ts";
import type { Scene, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

const COST = { tenancy: 1, docker: 1, bao: 0, children: 0, writes: 0 };

/** Everything is as it should be. */
export const NOTHING_TO_DO: Scene = {
  name: "nothing to do",
  why: "Every box runs this tick once a minute for all its life, so it must cost next to nothing.",
  prepare: (story): Promise<Setting> =>
    Promise.resolve({ wanted: `still ${nameOf(story.release(1))}` }),
  async examine(story, seen): Promise<readonly Check[]> {
    const { requests, children, writes } = seen.run;
    return [
      exits(seen, 0),
      check("one request to tenancy, one to Docker; no program started, nothing written", {
        expected: COST,
        seen: { ...requests, children: children.length, writes: writes.length },
      }),
      {
        ...check("tenancy was told nothing", { expected: 0, seen: seen.reports.length }),
        isEvident: true,
      },
      leases(seen, 0),
      await answers(story, { web: "1.0", apiKeyVersion: 1 }),
    ];
  },
};
