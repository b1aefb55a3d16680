// The development tenancy refuses, and writes down, whatever protocol v1 does not allow.

import { assertEquals, assertMatch } from "@std/assert";
import type { Call } from "../scripts/tenancy/mod.ts";
import {
  ENV,
  goodRequest,
  SOME_SHA,
  type Spoil,
  verdict,
  withTenancy,
} from "../scripts/tenancy/test_agent.ts";

const BAD_HEADERS: [string, Spoil][] = [
  ["no Authorization", { headers: { Authorization: undefined } }],
  ["another scheme", { headers: { Authorization: "Basic abc" } }],
  ["no User-Agent", { headers: { "User-Agent": undefined } }],
  ["another User-Agent", { headers: { "User-Agent": "curl/8.0.0" } }],
  ["no version", { headers: { "User-Agent": "monky-deployd/next" } }],
  ["no X-Request-Id", { headers: { "X-Request-Id": undefined } }],
  ["an empty X-Request-Id", { headers: { "X-Request-Id": "" } }],
  ["no Host", { headers: { Host: undefined } }],
  ["Host without port", { headers: { Host: "monky.tenancy.deploy" } }],
  ["Host of the forwarder", { headers: { Host: "127.0.0.1:18443" } }],
  ["two Authorizations", { headers: { "authorization": "Bearer other" } }],
  ["chunked", { headers: { "Transfer-Encoding": "chunked" } }],
  ["absolute-form", { target: "http://monky.tenancy.deploy:443/agent/v1/checkin" }],
  ["a query", { target: "/agent/v1/checkin?x=1" }],
  ["an unknown path", { target: "/agent/v2/checkin" }],
  ["another method", { method: "PUT" }],
];
const BAD_POSTS: [string, Spoil][] = [
  ["text/plain", { headers: { "Content-Type": "text/plain" } }],
  ["no Content-Type", { headers: { "Content-Type": undefined } }],
  ["no JSON", { body: "{" }],
  ["no UTF-8", { body: new Uint8Array([34, 255, 34]) }],
  ["no body", { body: "" }],
  ["a list", { body: "[]" }],
  ["an unknown key", { json: { token: "x" } }],
  ["no env_id", { json: { env_id: undefined } }],
  ["an env_id with a slash", { json: { env_id: "env/../x" } }],
];

for (const call of ["checkin", "bundle", "lease", "report"] as const) {
  const rows = call === "bundle" ? BAD_HEADERS : [...BAD_HEADERS, ...BAD_POSTS];
  Deno.test(`${call}: a request that breaks the protocol gets 400 and is a violation`, async () => {
    await withTenancy(async ({ tenancy, send }) => {
      for (const [name, spoil] of rows) {
        const before = tenancy.record.violations.length;
        assertEquals(verdict(await send(call, spoil)), "400 PROTOCOL_VIOLATION", name);
        assertEquals(tenancy.record.violations.length, before + 1, name);
      }
    });
  });
}

const WRONG_FIELDS: Record<Exclude<Call, "bundle">, Record<string, unknown[]>> = {
  checkin: {
    site: [undefined, 7, "a b"],
    agent_version: [undefined, "1", "0.2.1"],
    transport: [undefined, "tcp"],
    applied: [undefined, {}, { sha: SOME_SHA, at: "2026-09-07T07:40:00Z" }, {
      sha: SOME_SHA,
      serial: 1,
      at: "yesterday",
    }, { sha: SOME_SHA.toUpperCase(), serial: 1, at: "2026-09-07T07:40:00Z" }],
    failed: [undefined, { sha: SOME_SHA, code: "low", attempts: 1, next_attempt_at: null }, {
      sha: SOME_SHA,
      code: "BAD",
      attempts: 0,
      next_attempt_at: null,
    }],
    services: [
      undefined,
      null,
      {},
      [{ name: "a" }],
      [{
        name: "a",
        state: "running",
        health: "fine",
        image: "i",
      }],
      [{ name: "a", state: "up", health: null, image: "i" }],
      [{
        name: "a",
        state: "running",
        health: null,
        image: "i",
        logs: "not in a check-in",
      }],
    ],
    wait_s: [null, -1, 1.5, "10"],
  },
  lease: { reason: [undefined, "swap", null] },
  report: {
    report_id: [undefined, "", 7, "with space"],
    sha: [undefined, "abc"],
    serial: [undefined, "3", -1],
    result: [undefined, "refused", "ok"],
    code: [undefined, "lower"],
    detail: [null],
    started_at: [undefined, "2026-09-07", "2026-09-07 07:40:00"],
    finished_at: [undefined, "2026-09-07T07:39:59Z"],
    agent_version: [undefined, "0.1.6"],
    token_source: [undefined, "kit"],
    steps: [undefined, [{ action: "fetch", ms: -1, ok: true }], [{ action: "fetch", ms: 1 }]],
    services: [undefined, [{}]],
    secrets: [undefined, [{ var: "A", version: 0 }], [{ var: "A", version: 1, value: "x" }], [{
      var: "a b",
      version: 1,
    }]],
  },
};

for (const [call, fields] of Object.entries(WRONG_FIELDS)) {
  Deno.test(`${call}: each missing or mistyped field gets 400 and is named`, async () => {
    await withTenancy(async ({ tenancy, send }) => {
      for (const [field, values] of Object.entries(fields)) {
        for (const value of values) {
          const answer = await send(call as Call, { json: { [field]: value } });
          const shown = `${field} = ${JSON.stringify(value)}`;
          assertEquals(verdict(answer), "400 PROTOCOL_VIOLATION", shown);
          assertMatch(tenancy.record.violations.at(-1)?.message ?? "", new RegExp(field), shown);
        }
      }
      assertEquals(tenancy.record.checkins.length + tenancy.record.reports.length, 0);
    });
  });
}

Deno.test("report: a body that is JSON but not UTF-8 is refused", async () => {
  await withTenancy(async ({ token, send }) => {
    const { body = "" } = goodRequest("report", token, { json: { detail: "@" } });
    const bytes = new TextEncoder().encode(String(body)).map((byte) => byte === 64 ? 255 : byte);
    assertEquals(verdict(await send("report", { body: bytes })), "400 PROTOCOL_VIOLATION");
  });
});

Deno.test("report: a refusal repeats its code at the head of detail", async () => {
  await withTenancy(async ({ send }) => {
    const refused = { code: "ROLLBACK_REFUSED", detail: "serial 2 is older" };
    assertEquals((await send("report", { json: refused })).status, 400);
    const told = { ...refused, detail: "ROLLBACK_REFUSED: serial 2 is older" };
    assertEquals((await send("report", { json: told })).status, 202);
  });
});

Deno.test("docs/PROTOCOL.md: its examples of requests keep the protocol", async () => {
  const text = await Deno.readTextFile(new URL("../docs/PROTOCOL.md", import.meta.url));
  const bodies = [...text.matchAll(/^```(?:json|http)\n([^`]*)^```/gm)]
    .map(([, block = ""]) =>
      block.slice(block.indexOf("{")).replaceAll(/"[^"]*…"/g, `"${SOME_SHA}"`)
    )
    .filter((body) => /"(site|reason|report_id)"/.test(body))
    .map((body) => JSON.parse(body));
  assertEquals(bodies.length, 3);
  await withTenancy(async ({ tenancy, send }) => {
    await tenancy.setAbsent(ENV);
    for (const json of bodies) {
      const call = "site" in json ? "checkin" : "reason" in json ? "lease" : "report";
      await send(call, { body: JSON.stringify(json) });
    }
    assertEquals(tenancy.record.violations, []);
  });
});
