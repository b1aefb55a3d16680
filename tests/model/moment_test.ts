/** Moments in the agent's own files: what no date can name makes a file of no use, never a crash. */

import { assert, assertEquals } from "@std/assert";
import { lastSuccessIn, lastTickIn } from "../../src/core/metrics.ts";
import { formatHistory, parseHistory } from "../../src/model/history.ts";
import { formatLastTick, parseLastTick } from "../../src/model/last_tick.ts";
import { formatReleaseRecord, parseReleaseRecord } from "../../src/model/release_record.ts";
import { type AgentState, emptyState } from "../../src/model/state.ts";
import { formatState, parseState } from "../../src/model/state_parse.ts";

const AT = "2026-11-30T08:00:00.000Z";
const SHA = "a".repeat(64);
const APPLIED = { sha: SHA, serial: 1, at: AT };
const FAILED = {
  sha: SHA,
  code: "UNHEALTHY",
  attempts: 1,
  at: 1_700_000_000_000,
  nextAttemptAt: 1_700_000_060_000,
  quarantined: false,
};

/** No moments, though some of them are strings or numbers that a date is made from. */
const TEXTS = ["", "yesterday", "2026-13-40T25:61:00Z", "+275760-09-14T00:00:00Z", "1"];
const NUMBERS = [-1, 8.64e15 + 1, 1e20, Number.MAX_VALUE];

function state(change: Partial<AgentState>): AgentState {
  const steady = { applied: APPLIED, failed: FAILED, history: [APPLIED], repairs: [FAILED.at] };
  const applying = { sha: SHA, step: "up", since: AT };
  return { ...emptyState("env-a", "monky-env-a"), ...steady, applying, ...change };
}

Deno.test("field: a state with a moment that no date can name is none", () => {
  assert(parseState(formatState(state({}))) !== null);
  const broken = [
    ...TEXTS.flatMap((at) => [
      state({ applied: { ...APPLIED, at } }),
      state({ history: [{ ...APPLIED, at }] }),
      state({ applying: { sha: SHA, step: "up", since: at } }),
    ]),
    ...NUMBERS.flatMap((at) => [
      state({ failed: { ...FAILED, at } }),
      state({ failed: { ...FAILED, nextAttemptAt: at } }),
      state({ repairs: [at] }),
    ]),
  ];
  for (const each of broken) {
    assertEquals(parseState(formatState(each)), null, new TextDecoder().decode(formatState(each)));
  }
});

Deno.test("field: a record, a history and a last tick with such a moment are none", () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const record = (at: string): Uint8Array =>
    encode(formatReleaseRecord({
      ...APPLIED,
      at,
      envId: "env-a",
      released: {},
      images: [],
      secrets: [],
    }));
  const history = (times: Readonly<Record<string, string>>): Uint8Array =>
    formatHistory([{
      ...{ started_at: AT, finished_at: AT, since: AT, result: "applied", sha: SHA, serial: 1 },
      ...{ cause: "c", code: null, message: null, token_source: "lease", steps: [], times: 1 },
      ...times,
    }]);
  const lastTick = (since: string): Uint8Array =>
    formatLastTick({ desired: null, trouble: { code: "X", message: "m", hint: "h", since } });
  assert(parseReleaseRecord(record(AT)) !== null);
  assert(parseHistory(history({})) !== null);
  assert(parseLastTick(lastTick(AT)) !== null);
  for (const text of TEXTS) {
    assertEquals(parseReleaseRecord(record(text)), null, text);
    assertEquals(parseLastTick(lastTick(text)), null, text);
    for (const key of ["started_at", "finished_at", "since"]) {
      assertEquals(parseHistory(history({ [key]: text })), null, `${key} ${text}`);
    }
  }
});

Deno.test("field: metrics whose moments no date can name tell of no tick", () => {
  const text = (value: string): string =>
    ["last_tick", "last_success"].map((name) =>
      `monky_deployd_${name}_timestamp_seconds ${value}\n`
    )
      .join("");
  assertEquals([lastTickIn(text("1700000000")), lastSuccessIn(text("1700000000"))], [17e8, 17e8]);
  for (const value of ["1e300", "-1", "NaN", "Infinity", "soon"]) {
    assertEquals([lastTickIn(text(value)), lastSuccessIn(text(value))], [null, null], value);
  }
});
