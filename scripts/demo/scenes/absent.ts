/** The project is taken down, its volumes stay (SPEC §4, desired absent). */

import { type Check, check } from "../check.ts";
import { exits, leases, reports, volumeKept } from "../expect.ts";
import type { Scene, Setting } from "../scene.ts";

/** The environment is retired. */
export const ABSENT: Scene = {
  name: "desired absent, removed, volume kept",
  why: "A retired environment goes by its labels alone, even when its files are lost. Data stays " +
    "unless the box's own config says otherwise.",
  async prepare(story): Promise<Setting> {
    await story.box.tenancy.setAbsent(story.box.env);
    return { wanted: "nothing runs (absent)" };
  },
  examine(story, seen): Promise<readonly Check[]> {
    return Promise.resolve([
      check("two services ran before", {
        expected: ["web", "worker"],
        seen: Object.keys(seen.before.services).sort(),
      }),
      exits(seen, 0),
      reports(seen, "removed"),
      check("no container and no network is left", {
        expected: [],
        seen: [...Object.keys(seen.after.services), ...seen.after.networks],
      }),
      volumeKept(story, seen),
      leases(seen, 0),
    ]);
  },
};
