import { assertEquals } from "@std/assert";
import { isDue, nextFailure, retryDelayMs } from "../../src/core/pacing.ts";

const MINUTE = 60_000;
const SHA = "a".repeat(64);

Deno.test("a failed release is tried again after 1, 2, 5, 10, 15 minutes and then every 15", () => {
  const minutes = [1, 2, 3, 4, 5, 6, 100].map((attempts) => retryDelayMs(attempts) / MINUTE);
  assertEquals(minutes, [1, 2, 5, 10, 15, 15, 15]);
});

Deno.test("the attempts of one sha are counted, another sha starts anew", () => {
  const first = nextFailure(null, { sha: SHA, code: "UNHEALTHY", now: 1_000 });
  const second = nextFailure(first, { sha: SHA, code: "PULL_FAILED", now: 2_000 });
  const other = nextFailure(second, { sha: "b".repeat(64), code: "UNHEALTHY", now: 3_000 });
  assertEquals([first.attempts, second.attempts, other.attempts], [1, 2, 1]);
  assertEquals(second.nextAttemptAt, 2_000 + 2 * MINUTE);
  assertEquals(second.code, "PULL_FAILED");
});

Deno.test("case 65: a stored wait that a jump of the clock made holds nobody up", () => {
  const failed = nextFailure(null, { sha: SHA, code: "UNHEALTHY", now: 10 * MINUTE });
  const rows: readonly [string, number, boolean][] = [
    ["just failed", 10 * MINUTE, false],
    ["a moment before", 11 * MINUTE - 1, false],
    ["due", 11 * MINUTE, true],
    ["the clock went back before the failure", 9 * MINUTE, true],
  ];
  for (const [name, now, due] of rows) assertEquals(isDue(failed, now), due, name);
  const farAway = { ...failed, at: 0, nextAttemptAt: Date.UTC(2099, 0, 1) };
  assertEquals(isDue(farAway, 10 * MINUTE), true, "longer than the longest wait");
});
