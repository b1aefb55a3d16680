/** SPEC §13: what 200 secrets, 50 ms away, cost in round trips on the real OpenBao. */

import { assert } from "@std/assert";
import { countTrips, timed, waysTo } from "../../scripts/bench/secrets.ts";
import { onBox } from "../support/boxes.ts";

Deno.test("200 secrets, 50 ms away: four round trips with a warm token, eight with the login", async () => {
  await onBox(async (box) => {
    for (const { name, allowed, run } of await waysTo(box)) {
      const ms = await timed(box, 50, run);
      const trips = countTrips(box);
      console.log(`    ${name}: ${trips} round trips, ${Math.round(ms)} ms`);
      assert(allowed === null || trips <= allowed, `${name}: ${trips} round trips`);
      assert(
        box.paths.bao.counts.connections <= 9,
        `${box.paths.bao.counts.connections} connections`,
      );
    }
  });
});
