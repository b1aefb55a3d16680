import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { type PauseFacts, pauseMs } from "../../src/core/pause.ts";

const CALM: PauseFacts = {
  intervalS: 60,
  wishS: null,
  renewBelowS: 21_600,
  failures: 0,
  fraction: 0,
};

const TABLE: readonly (readonly [string, Partial<PauseFacts>, readonly [number, number]])[] = [
  ["the interval, a little less, so that a change starts within it", {}, [39, 51]],
  ["an interval of the config that no wish could be", { intervalS: 1 }, [0.65, 0.85]],
  ["what tenancy wishes", { wishS: 20 }, [13, 17]],
  ["no less than 5 s for a wish", { wishS: 0.001 }, [3.25, 4.25]],
  ["no more than an hour for a wish", { wishS: 1e9 }, [2_340, 3_060]],
  ["half of what a token is renewed below", { intervalS: 600, renewBelowS: 60 }, [19.5, 25.5]],
  ["the first failure: up to twice the interval", { failures: 1 }, [39, 78]],
  ["the second", { failures: 2 }, [39, 156]],
  ["the third: up to 5 min", { failures: 3 }, [39, 300]],
  ["the hundredth", { failures: 100 }, [39, 300]],
  ["a longer interval is no shorter after failures", { intervalS: 900, failures: 5 }, [585, 900]],
  ["failures do not outlast a renewal", { renewBelowS: 120, failures: 9 }, [39, 60]],
];

for (const [what, facts, [least, most]] of TABLE) {
  Deno.test(`the pause of run: ${what}`, () => {
    const seconds = [0, 1].map((fraction) => pauseMs({ ...CALM, ...facts, fraction }) / 1000);
    assertEquals(seconds, [least, most]);
  });
}

Deno.test("the pause of run is spread over its whole range, and is never none nor beyond a day", () => {
  fc.assert(fc.property(
    fc.record({
      intervalS: fc.integer({ min: 1, max: 86_400 }),
      wishS: fc.option(fc.double({ min: 0, noNaN: true })),
      renewBelowS: fc.integer({ min: 60, max: 82_800 }),
      failures: fc.nat(),
      fraction: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    }),
    (facts) => {
      const pause = pauseMs(facts);
      assert(pause >= 650 && pause <= 86_400_000, `${pause} ms`);
      assert(pause <= Math.max(facts.renewBelowS * 500, 1), "a token could end unseen");
      assert(pauseMs({ ...facts, fraction: 0 }) <= pause);
    },
  ));
});
