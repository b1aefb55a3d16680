import { assertEquals } from "@std/assert";
import { addApply, recordOf } from "../../src/core/keep_applies.ts";
import type { Ending } from "../../src/core/settle.ts";
import type { ApplyRecord } from "../../src/model/history.ts";
import { formatHistory, parseHistory } from "../../src/model/history.ts";
import { emptyState } from "../../src/model/state.ts";
import { formatLastTick, parseLastTick } from "../../src/model/last_tick.ts";

const A = "a".repeat(64);
const NOW = Date.UTC(2026, 10, 30, 12);
const STATE = emptyState("env-qa-02", "p");
const FACTS = {
  startedAt: NOW,
  finishedAt: NOW + 5_000,
  steps: [{ action: "up", ms: 4_000, ok: true }],
  tokenSource: "lease",
  cause: "nothing is applied",
} as const;
const APPLIED: Ending = {
  kind: "applied",
  sha: A,
  serial: 1,
  released: {},
  secrets: [],
  note: "rollback allowed",
};
const FAILED: Ending = {
  kind: "failed",
  sha: A,
  serial: 1,
  code: "UNHEALTHY",
  detail: "UNHEALTHY: web exited with 3\nweb | a line of its log",
  hint: "Look at web.",
  secrets: [],
  touched: true,
};

Deno.test("an entry tells cause, times and steps; of a failure the code and its first line", () => {
  const applied = recordOf(STATE, APPLIED, FACTS);
  assertEquals([applied.result, applied.cause, applied.code, applied.message], [
    "applied",
    FACTS.cause,
    null,
    null,
  ]);
  assertEquals(applied.finished_at, "2026-11-30T12:00:05.000Z");
  const failed = recordOf(STATE, FAILED, FACTS);
  assertEquals([failed.code, failed.message], ["UNHEALTHY", "web exited with 3"]);
});

Deno.test("the same failure in a row is one entry that counts; anything else is its own", () => {
  const failed = recordOf(STATE, FAILED, FACTS);
  const later = recordOf(STATE, FAILED, { ...FACTS, startedAt: NOW + 60_000 });
  const other = recordOf(STATE, { ...FAILED, code: "PULL_FAILED" }, FACTS);
  const applied = recordOf(STATE, APPLIED, FACTS);
  const sum = (all: readonly ApplyRecord[]): readonly string[] =>
    all.map(({ code, times }) => `${code ?? "-"} ${times}`);
  const add = (...all: readonly ApplyRecord[]): readonly ApplyRecord[] =>
    all.reduce<readonly ApplyRecord[]>(addApply, []);
  assertEquals(sum(add(failed, later, later)), ["UNHEALTHY 3"]);
  assertEquals(add(failed, later)[0]?.since, failed.since);
  assertEquals(add(failed, later)[0]?.started_at, later.started_at);
  assertEquals(sum(add(failed, other, failed)), ["UNHEALTHY 1", "PULL_FAILED 1", "UNHEALTHY 1"]);
  assertEquals(sum(add(applied, applied)), ["- 1", "- 1"]);
});

Deno.test("the list and its texts are bounded, and read back as they were written", () => {
  let all: readonly ApplyRecord[] = [];
  for (let round = 0; round < 200; round++) {
    const cause = "x".repeat(10_000);
    all = addApply(all, recordOf(STATE, { ...APPLIED, serial: round }, { ...FACTS, cause }));
  }
  assertEquals([all.length, all.at(-1)?.serial], [50, 199]);
  assertEquals(formatHistory(all).length < 100_000, true);
  assertEquals(parseHistory(formatHistory(all)), all);
});

Deno.test("a file that is none gives nothing and throws nothing", () => {
  const trouble = {
    code: "BAO_SEALED",
    message: "m",
    hint: "h",
    since: "2026-11-30T08:00:00.000Z",
  };
  for (
    const tick of [
      { desired: null, trouble },
      { desired: { state: "absent" }, trouble: null },
      { desired: { state: "present", sha: A, serial: null }, trouble },
    ] as const
  ) assertEquals(parseLastTick(formatLastTick(tick)), tick);
  for (const text of ["", "{", "[]", '{"v":2}', '{"v":1,"applies":[{"sha":1}]}', "\u0000"]) {
    const bytes = new TextEncoder().encode(text);
    assertEquals([parseHistory(bytes), parseLastTick(bytes)], [null, null], text);
  }
});
