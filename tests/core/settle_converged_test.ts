import { assertEquals, assertStrictEquals } from "@std/assert";
import { settleConverged } from "../../src/core/settle_converged.ts";
import { type AgentState, emptyState, type FailedRelease } from "../../src/model/state.ts";
import type { Desired } from "../../src/model/tenancy_wire.ts";

const A = "a".repeat(64);
const B = "b".repeat(64);
const AT = "2026-11-30T00:00:00.000Z";

const EMPTY = emptyState("env-qa-02", "monky-env-qa-02");
const RUNNING: AgentState = {
  ...EMPTY,
  applied: { sha: A, serial: 1, at: AT },
  history: [{ sha: B, serial: 0, at: AT }, { sha: A, serial: 1, at: AT }],
};

function wanted(serial: number | null): Desired {
  return { state: "present", sha: A, serial };
}

function failed(sha: string, quarantined = false): FailedRelease {
  return { sha, code: "ENV_INCOMPLETE", attempts: 1, at: 0, nextAttemptAt: 1, quarantined };
}

Deno.test("a converged tick ends a failure of a release that is not wanted any more, but no quarantine", () => {
  const absent: Desired = { state: "absent" };
  const rows: readonly [string, AgentState, Desired, FailedRelease | null][] = [
    ["the applied one's", { ...RUNNING, failed: failed(A) }, wanted(1), null],
    ["the applied one's, quarantined", { ...RUNNING, failed: failed(A, true) }, wanted(1), null],
    ["another one's", { ...RUNNING, failed: failed(B) }, wanted(1), null],
    [
      "another one's, quarantined",
      { ...RUNNING, failed: failed(B, true) },
      wanted(1),
      failed(B, true),
    ],
    ["absent wanted, nothing there", { ...EMPTY, failed: failed(B, true) }, absent, null],
  ];
  for (const [name, state, desired, expected] of rows) {
    assertEquals(settleConverged(state, desired), { ...state, failed: expected }, name);
  }
});

Deno.test("a converged tick takes the serial that tenancy names when it is higher, and no lower one", () => {
  const taken = settleConverged(RUNNING, wanted(3));
  assertEquals(taken.applied, { sha: A, serial: 3, at: AT });
  assertEquals(taken.history.map(({ serial }) => serial), [0, 3]);
  const unnumbered = { ...RUNNING, applied: { sha: A, serial: null, at: AT } };
  assertEquals(settleConverged(unnumbered, wanted(3)).applied?.serial, 3);
});

Deno.test("a converged tick with nothing to note gives the same state, so that nothing is written", () => {
  for (const serial of [null, 0, 1]) {
    assertStrictEquals(settleConverged(RUNNING, wanted(serial)), RUNNING);
  }
  const other: Desired = { state: "present", sha: B, serial: 9 };
  assertStrictEquals(settleConverged(RUNNING, other), RUNNING);
  assertStrictEquals(settleConverged(EMPTY, { state: "absent" }), EMPTY);
});
