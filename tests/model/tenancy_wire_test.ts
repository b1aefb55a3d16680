import { assertEquals, assertThrows } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { parseCheckin } from "../../src/model/tenancy_wire.ts";

const SHA = "a".repeat(64);
const REPLY = {
  env_id: "env-qa-02",
  desired: { state: "present", sha: SHA },
  server_time: "2026-01-01T00:00:00Z",
};

Deno.test("field: an optional field of a check-in's reply may be null, as servers write what has no value", () => {
  const reply = parseCheckin({
    ...REPLY,
    desired: { ...REPLY.desired, serial: null },
    interval_s: null,
    more: null,
  });
  assertEquals(reply, parseCheckin(REPLY));
});

const TIMES: readonly (readonly [text: string, ms: number | null])[] = [
  ["2026-01-01T00:00:00Z", 0],
  ["2026-01-01T00:00:00.123456789Z", 123],
  ["2026-01-01T00:00:00.123456+00:00", 123],
  ["2026-01-01T05:30:00+05:30", 0],
  ["2026-01-01t00:00:00z", 0],
  ["2026-01-01 00:00:00Z", null],
  ["2026-01-01T00:00:00", null],
  ["2026-02-30T00:00:00Z", null],
  ["1767225600", null],
];

for (const [text, ms] of TIMES) {
  Deno.test(`field: ${text} is ${ms === null ? "no" : "a"} time of RFC 3339`, () => {
    const parse = (): number => parseCheckin({ ...REPLY, server_time: text }).serverTimeMs;
    if (ms !== null) return assertEquals(parse() - Date.UTC(2026, 0), ms);
    assertEquals(assertThrows(parse, AgentError).code, "TENANCY_PROTOCOL");
  });
}
