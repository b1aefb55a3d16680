/** A release that pins a new version of a secret replaces the one before (SPEC §4, §5). */

import { type Check, check } from "../check.ts";
import { answers, exits, leases, reports, volumeKept } from "../expect.ts";
import type { Scene, Seen, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

/** A secret is rotated, and the release that pins its new version follows. */
export const NEW_RELEASE: Scene = {
  name: "new release with a new secret version",
  why: "A secret is rotated by a release that pins its new version: tenancy names the version " +
    "and never sees the value.",
  async prepare(story): Promise<Setting> {
    const apiKeyVersion = await story.rotateSecret();
    const release = await story.publish({ web: "2.0", apiKeyVersion });
    return {
      wanted: `${nameOf(release)}, signed: web 2.0 with API_KEY, version ${apiKeyVersion}`,
      meanwhile: `API_KEY was rotated in OpenBao: version ${apiKeyVersion}`,
    };
  },
  async examine(story, seen): Promise<readonly Check[]> {
    return [
      exits(seen, 0),
      reports(seen, "applied"),
      await answers(story, { web: "2.0", apiKeyVersion: 2 }),
      webReplaced(seen),
      volumeKept(story, seen),
      leases(seen, 0),
    ];
  },
};

function webReplaced({ before, after }: Seen): Check {
  const [old, now] = [before.services["web"]?.id, after.services["web"]?.id];
  return check("the container of web is a new one", {
    expected: true,
    seen: old !== undefined && now !== undefined && old !== now,
  });
}
