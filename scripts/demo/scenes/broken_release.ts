/** A release that is not healthy is reported with its logs, secrets masked (SPEC §4, §5). */

import { type Check, check } from "../check.ts";
import { answers, exits, leases, reportHolds, reports, webUntouched } from "../expect.ts";
import type { Scene, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

/** A release whose new worker crashes. */
export const BROKEN_RELEASE: Scene = {
  name: "broken release",
  why: "A release that cannot run must not take down what does, and its last words must reach " +
    "those who published it, without the secrets in them.",
  async prepare(story): Promise<Setting> {
    const release = await story.publish({
      web: "2.0",
      apiKeyVersion: 2,
      withCrashingWorker: true,
    });
    return {
      wanted: `${nameOf(release)}, signed: web 2.0 as before, and a worker that crashes`,
      meanwhile: "the worker's author made it print a URL with API_KEY in it",
    };
  },
  async examine(story, seen): Promise<readonly Check[]> {
    const worker = seen.after.services["worker"];
    return [
      exits(seen, 1),
      reports(seen, "failed", "UNHEALTHY"),
      reportHolds(seen, "worker 0.9 starts"),
      reportHolds(seen, "amqp://jobs:[redacted]@queue:5672/"),
      webUntouched(seen),
      await answers(story, { web: "2.0", apiKeyVersion: 2 }),
      check("the worker is left as it failed, for a person to look at", {
        expected: true,
        seen: worker !== undefined,
      }),
      leases(seen, 0),
    ];
  },
};
