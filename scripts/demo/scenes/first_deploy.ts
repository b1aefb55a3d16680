/** The first tick of a box: bootstrap grant, token, lease, deploy (SPEC §4, §5). */

import { type Check, check } from "../check.ts";
import { answers, exits, leases, reports } from "../expect.ts";
import type { Scene, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

/** A box that holds nothing but a bootstrap grant gets its first release. */
export const FIRST_DEPLOY: Scene = {
  name: "bootstrap and first deploy",
  why: "A new box holds one short-lived grant and no secret. It fetches the rest by itself; " +
    "nobody connects to it.",
  async prepare(story): Promise<Setting> {
    const apiKeyVersion = await story.rotateSecret();
    const release = await story.publish({ web: "1.0", apiKeyVersion });
    await story.box.reveal();
    return {
      wanted: `${nameOf(release)}, signed: web 1.0 with API_KEY, version ${apiKeyVersion}`,
      meanwhile: "the install kit left a bootstrap grant on the box; OpenBao holds API_KEY",
    };
  },
  async examine(story, seen): Promise<readonly Check[]> {
    return [
      exits(seen, 0),
      reports(seen, "applied"),
      await answers(story, { web: "1.0", apiKeyVersion: 1 }),
      leases(seen, 1),
      await grantIsSpent(story.box.bootstrapFile),
    ];
  },
};

async function grantIsSpent(file: string): Promise<Check> {
  const isThere = await Deno.stat(file).then(() => true, () => false);
  return check("the bootstrap grant was used once and removed", { expected: false, seen: isThere });
}
