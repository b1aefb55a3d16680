import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { backoffMs, RENEWAL_BACKOFF } from "../../src/core/backoff.ts";

Deno.test("backoffMs() doubles its reach and stays between floor and cap", () => {
  assertEquals([1, 2, 3, 8].map((failures) => backoffMs(failures, 0)), [1000, 1000, 1000, 1000]);
  const longest = [1, 2, 3, 9, 5000].map((failures) => backoffMs(failures, 0.999999999));
  assertEquals(longest, [2000, 4000, 8000, 300_000, 300_000]);
});

Deno.test("backoffMs() never leaves its limits, whatever the chance", () => {
  fc.assert(fc.property(fc.nat(), fc.double({ min: 0, max: 0.9999, noNaN: true }), (n, chance) => {
    const wait = backoffMs(n, chance);
    assert(wait >= RENEWAL_BACKOFF.floorMs && wait <= RENEWAL_BACKOFF.capMs);
  }));
});
