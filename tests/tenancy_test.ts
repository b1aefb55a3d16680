// The development tenancy: the four calls, bearers, supersession, leases, reports, the record.

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { importSPKI, jwtVerify } from "jose";
import { requestBytes, sendBytes } from "../scripts/tenancy/raw_client.ts";
import {
  ENV,
  goodRequest,
  jsonOf,
  newKeyPem,
  type Spoil,
  verdict,
  withTenancy,
} from "../scripts/tenancy/test_agent.ts";
import { startTenancy } from "../scripts/tenancy/mod.ts";
import { memoryLookup } from "../scripts/tenancy/memory_lookup.ts";

const COMPOSE = { "docker-compose.yml": "services: {}\n" };

Deno.test("good requests of every call are answered, and are no violation", async () => {
  await withTenancy(async ({ tenancy, send }) => {
    const { sha, serial } = await tenancy.publish(ENV, COMPOSE);
    const checkin = await send("checkin");
    assertEquals(checkin.status, 200);
    assertEquals(checkin.headers["content-type"], "application/json");
    assertEquals(checkin.headers["connection"], "close");
    assertEquals(jsonOf(checkin)?.["desired"], { state: "present", sha, serial });
    assertEquals(jsonOf(checkin)?.["env_id"], ENV);
    assertMatch(String(jsonOf(checkin)?.["server_time"]), /^\d{4}-\d\d-\d\dT.*Z$/);
    assertEquals(jsonOf(await send("bundle", { target: `/agent/v1/bundles/${sha}` })), {
      sha,
      serial,
      files: { "docker-compose.yml": { content: COMPOSE["docker-compose.yml"] } },
    });
    assertEquals(verdict(await send("bundle")), "404 BUNDLE_NOT_FOUND");
    assertEquals((await send("lease")).status, 201);
    assertEquals(verdict(await send("report")), "202");
    assertEquals(tenancy.record.violations, []);
    assertEquals(tenancy.record.requests.map((request) => request.call), [
      "checkin",
      "bundle",
      "bundle",
      "lease",
      "report",
    ]);
  });
});

Deno.test("bytes that are no HTTP request get 400; a keep-alive client is served again", async () => {
  await withTenancy(async ({ tenancy, token }) => {
    const text = new TextEncoder();
    const good = new TextDecoder().decode(requestBytes(goodRequest("lease", token)));
    const rows: [string, string][] = [
      ["HTTP/1.1", "HTTP/1.0"],
      [" HTTP/1.1", ""],
      ["POST", "PO ST"],
      ["Host: ", "Host "],
      ["Content-Length: ", "Accept: \u00e9\r\nContent-Length: "],
      ["Content-Length: ", "Content-Length: -"],
    ];
    for (const [right, wrong] of rows) {
      const answer = await sendBytes(tenancy.port, text.encode(good.replace(right, wrong)));
      assertEquals(verdict(answer), "400 PROTOCOL_VIOLATION", wrong);
    }
    assertEquals(tenancy.record.violations.length, rows.length);
    const keep = goodRequest("lease", token, { headers: { Connection: "keep-alive" } });
    const last = goodRequest("lease", token);
    const both = new Uint8Array([...requestBytes(keep), ...requestBytes(last)]);
    const answer = await sendBytes(tenancy.port, both);
    assertEquals(answer.headers["connection"], "keep-alive");
    assertEquals(tenancy.record.leases.length, 2);
  });
});

Deno.test("bearers: what OpenBao says decides between 401, 403 and 503", async () => {
  await withTenancy(async ({ tenancy, lookup, token, send }) => {
    await tenancy.setAbsent(ENV);
    const ask = async (spoil?: Spoil): Promise<string> => verdict(await send("checkin", spoil));
    assertEquals(await ask(), "200");
    assertEquals(await ask({ token: "s.unknown" }), "401 AGENT_UNAUTHENTICATED");
    const { jti } = await tenancy.issueBootstrapGrant("env-dev-06");
    const other = lookup.mint("env-dev-06", jti);
    assertEquals(await ask({ token: other }), "403 AGENT_ENV_MISMATCH");
    assertEquals(await ask({ token: lookup.mint(null, null) }), "403 AGENT_ENV_MISMATCH");
    assertEquals(await ask({ token: lookup.mint(ENV, null) }), "401 AGENT_UNAUTHENTICATED");
    lookup.answerWith({ kind: "unavailable", reason: "permission denied" });
    assertEquals(await ask(), "503 TENANCY_UNAVAILABLE");
    lookup.answerWith("hang");
    assertEquals(await ask(), "503 TENANCY_UNAVAILABLE");
    lookup.answerWith(null);
    lookup.revoke(token);
    assertEquals(await ask(), "401 AGENT_UNAUTHENTICATED");
  }, { lookupTimeoutMs: 50 });
});

Deno.test("a new kit and a retirement supersede every earlier grant", async () => {
  await withTenancy(async ({ tenancy, lookup, token, send }) => {
    await tenancy.setAbsent(ENV);
    const lease = jsonOf(await send("lease"));
    assert(lease !== null);
    const leased = lookup.mint(ENV, tenancy.record.leases[0]?.jti ?? "");
    assertEquals((await send("checkin", { token: leased })).status, 200);
    const fresh = await tenancy.issueBootstrapGrant(ENV);
    // Both tokens were seen, so both were revoked; their grants log in again and are refused here.
    assertEquals(lookup.revokedAccessors.length, 2);
    const again = lookup.mint(ENV, tenancy.record.leases[0]?.jti ?? "");
    for (const old of [token, leased, again]) {
      assertEquals(verdict(await send("checkin", { token: old })), "401 AGENT_UNAUTHENTICATED");
    }
    const next = lookup.mint(ENV, fresh.jti);
    assertEquals((await send("checkin", { token: next })).status, 200);
    await tenancy.retire(ENV);
    // A retired environment is refused altogether, whichever grant a token came from.
    for (const jti of [fresh.jti, "never-issued-here"]) {
      const late = lookup.mint(ENV, jti);
      assertEquals(verdict(await send("checkin", { token: late })), "401 AGENT_UNAUTHENTICATED");
    }
  });
});

Deno.test("grants carry the claims that OpenBao's role asks for", async () => {
  await withTenancy(async ({ tenancy, send }) => {
    const reply = jsonOf(await send("lease"));
    const key = await importSPKI(tenancy.grantPublicKeyPem, "ES256");
    const { payload, protectedHeader } = await jwtVerify(String(reply?.["grant"]), key, {
      issuer: "https://tenancy.test",
      audience: "openbao-see-env",
      subject: `agent:${ENV}`,
    });
    assertEquals(protectedHeader, { alg: "ES256", typ: "JWT" });
    assertEquals([payload["env_id"], payload["kind"]], [ENV, "deploy-grant"]);
    assertEquals(payload.jti, tenancy.record.leases[0]?.jti);
    assertEquals((payload.exp ?? 0) - (payload.iat ?? 0), 3_600);
    assertEquals(Date.parse(String(reply?.["expires_at"])), (payload.exp ?? 0) * 1000);
    const odd = await tenancy.signGrant(ENV, { ttlS: -5, claims: { kind: undefined, x: 1 } });
    await assertRejects(() => jwtVerify(odd.grant, key));
  });
});

Deno.test("leases: five in any sixty minutes, counted for each environment", async () => {
  let now = Date.parse("2026-09-07T07:00:00Z");
  await withTenancy(async ({ tenancy, lookup, send }) => {
    for (let count = 0; count < 5; count++) {
      assertEquals((await send("lease")).status, 201);
      now += 60_000;
    }
    assertEquals(verdict(await send("lease")), "429 LEASE_RATE_LIMITED");
    const other = { token: lookup.mint("env-dev-06", "jti"), json: { env_id: "env-dev-06" } };
    assertEquals((await send("lease", other)).status, 201);
    now += 54 * 60_000;
    assertEquals(verdict(await send("lease")), "429 LEASE_RATE_LIMITED");
    now += 60_000;
    assertEquals((await send("lease")).status, 201);
    assertEquals(verdict(await send("lease")), "429 LEASE_RATE_LIMITED");
    assertEquals(tenancy.record.leases.length, 7);
  }, { leaseClock: { now: () => now } });
});

Deno.test("reports: the same report_id twice is accepted once", async () => {
  await withTenancy(async ({ tenancy, send }) => {
    for (let count = 0; count < 3; count++) assertEquals((await send("report")).status, 202);
    assertEquals(tenancy.record.reports.map((report) => report.duplicates), [2]);
    assertEquals(tenancy.record.violations, []);
    assertEquals((await send("report", { json: { detail: "changed" } })).status, 202);
    assertEquals(tenancy.record.violations.length, 1);
  });
});

Deno.test("waitFor() ends with the request it waits for, or at its deadline", async () => {
  await withTenancy(async ({ tenancy, send }) => {
    const started = performance.now();
    const waiting = tenancy.record.waitFor((record) => record.leases[0]?.jti, 60_000);
    await send("lease");
    assertEquals(await waiting, tenancy.record.leases[0]?.jti);
    assert(performance.now() - started < 30_000, "it waited for the deadline");
    await assertRejects(() => tenancy.record.waitFor(() => null, 20), Error, "within 20 ms");
    tenancy.record.clear();
    assertEquals([tenancy.record.requests.length, tenancy.record.leases.length], [0, 0]);
  });
});

Deno.test("the record and its waiters never see a token; close() ends a long poll", async () => {
  const lookup = memoryLookup();
  const tenancy = await startTenancy({ keyPem: await newKeyPem(), lookup });
  await tenancy.publish(ENV, COMPOSE);
  const token = lookup.mint(ENV, "jti");
  const sha = tenancy.desired(ENV).state === "present"
    ? Object.values(tenancy.desired(ENV))[1]
    : "";
  const applied = { sha, serial: 1, at: "2026-09-07T07:40:00Z" };
  const request = goodRequest("checkin", token, { json: { applied, wait_s: 30 } });
  const open = sendBytes(tenancy.port, requestBytes(request));
  await tenancy.record.waitFor((record) => record.checkins.length === 1, 30_000);
  await sendBytes(tenancy.port, requestBytes(goodRequest("lease", token, { json: { x: token } })));
  assert(!JSON.stringify(tenancy.record).includes(token), "the token is in the record");
  assertMatch(tenancy.record.requests[0]?.headers["authorization"] ?? "", /^sha256:[0-9a-f]{32}$/);
  await tenancy.close();
  const { status, end } = await open;
  assertEquals([status, end === "deadline"], [null, false]);
  assertEquals(lookup.closed, true);
});
