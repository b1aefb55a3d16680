/** A refusal: a template with names that have no value (SPEC §4, Incomplete). */

import type { Check } from "../check.ts";
import {
  answers,
  exits,
  leases,
  reportHolds,
  reports,
  startsNothing,
  webUntouched,
} from "../expect.ts";
import type { Scene, Setting } from "../scene.ts";
import { nameOf } from "../story.ts";

/** A bundle whose template uses names that nobody defines. */
export const INCOMPLETE_BUNDLE: Scene = {
  name: "incomplete bundle, refused",
  why: "A variable that nobody defines would start a service with a blank. All of them are named " +
    "at once, before anything is touched.",
  async prepare(story): Promise<Setting> {
    const release = await story.publish({
      web: "2.1",
      apiKeyVersion: 2,
      undefinedNames: ["SMTP_USER", "SMTP_PASSWORD"],
    });
    return {
      wanted: `${nameOf(release)}, signed; its template uses two names that nobody defines`,
    };
  },
  async examine(story, seen): Promise<readonly Check[]> {
    return [
      exits(seen, 1),
      reports(seen, "failed", "ENV_INCOMPLETE"),
      reportHolds(seen, "unresolved: SMTP_PASSWORD, SMTP_USER"),
      leases(seen, 0),
      startsNothing(seen),
      webUntouched(seen),
      await answers(story, { web: "2.0", apiKeyVersion: 2 }),
    ];
  },
};
