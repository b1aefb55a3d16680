/** SPEC §13: what secrets that are far away cost in round trips on the real OpenBao. */

import { assert } from "@std/assert";
import { countTrips, timed, waysTo } from "../../scripts/bench/secrets.ts";
import { onBox } from "../support/boxes.ts";

/**
 * Counting is right while the machine is faster than the distance: far beyond what is promised, so that
 * no busy one comes near it.
 */
const DISTANCE_MS = 400;

Deno.test("200 far secrets take four round trips warm and eight cold, 64 take five cold", async () => {
  await onBox(async (box) => {
    const ways = await waysTo(box);
    // The first run reads the runtime's roots of trust, which is no matter of distance.
    for (const way of ways.slice(0, 1)) await timed(box, 0, way);
    for (const way of ways) {
      const { name, allowed, limit } = way;
      const ms = await timed(box, DISTANCE_MS, way);
      const trips = countTrips(box);
      console.log(`    ${name}: ${trips} round trips (limit ${limit}), ${Math.round(ms)} ms`);
      assert(trips >= limit, `${name}: ${trips} round trips cannot be`);
      assert(allowed === null || trips <= allowed, `${name}: ${trips} round trips`);
      const { connections } = box.paths.bao.counts;
      assert(connections <= 9, `${connections} connections`);
    }
  });
});
