/** A box's place, for tests of the doctor's judgements. */

import { parseConfig } from "../../../src/config/parse.ts";
import type { Place } from "../../../src/core/doctor/place.ts";

/** Gives the place of a box whose config says the given lines. */
export function placeOf(lines: string, agentUid: number | null = 990): Place {
  const { config } = parseConfig(`env_id: env-qa-02\nsite: cbs\n${lines}`);
  return { config, configPath: "/etc/monky-deployd/config.yaml", agentUid };
}
