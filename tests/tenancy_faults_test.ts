// Every fault of the development tenancy, seen from the bytes on the wire.

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { FAULT_KINDS, type FaultKind, Faults, type FaultSpec } from "../scripts/tenancy/mod.ts";
import type { RawAnswer } from "../scripts/tenancy/raw_client.ts";
import { type Bench, ENV, jsonOf, verdict, withTenancy } from "../scripts/tenancy/test_agent.ts";

const COMPOSE = { "docker-compose.yml": "services: {}\n" };
const tested = new Set<FaultKind>();

/** Arms one fault for one request and gives what the call's good request gets. */
async function meet(
  { tenancy, send }: Bench,
  spec: FaultSpec,
  call: "checkin" | "lease" | "report" = "checkin",
  deadlineMs = 30_000,
  maxBytes?: number,
): Promise<RawAnswer> {
  tested.add(spec.kind);
  tenancy.faults.arm({ times: 1, ...spec });
  const answer = await send(call, {}, deadlineMs, maxBytes);
  // A client that gave up may have been faster than the tenancy was in reading its request.
  await tenancy.record.waitFor(() => tenancy.faults.list().length === 0, 30_000);
  return answer;
}

const steps: { name: string; run: (bench: Bench) => Promise<void> }[] = [];

/** Adds a step that is run against a tenancy of its own, with something to answer. */
function faultTest(name: string, run: (bench: Bench) => Promise<void>): void {
  steps.push({ name, run });
}

const text = (answer: RawAnswer): string => new TextDecoder().decode(answer.body);
const length = (answer: RawAnswer): number => Number(answer.headers["content-length"]);

faultTest("every status with its code, without any effect", async (bench) => {
  const rows: [FaultSpec, string][] = [
    [{ kind: "unauthenticated" }, "401 AGENT_UNAUTHENTICATED"],
    [{ kind: "env_mismatch" }, "403 AGENT_ENV_MISMATCH"],
    [{ kind: "rate_limited" }, "429 LEASE_RATE_LIMITED"],
    [{ kind: "not_found" }, "404 BUNDLE_NOT_FOUND"],
    [{ kind: "internal" }, "500 INTERNAL"],
    [{ kind: "bad_gateway" }, "502 BAD_GATEWAY"],
    [{ kind: "unavailable" }, "503 TENANCY_UNAVAILABLE"],
    [{ kind: "status", status: 418, code: "TEAPOT" }, "418 TEAPOT"],
  ];
  for (const [spec, expected] of rows) {
    assertEquals(verdict(await meet(bench, spec, "lease")), expected);
  }
  assertEquals(bench.tenancy.record.leases, []);
  assertEquals(bench.tenancy.record.requests.map((request) => request.fault), [
    ...rows.map(([spec]) => spec.kind),
  ]);
});

faultTest("a reply about another environment", async (bench) => {
  const { env_id } = jsonOf(await meet(bench, { kind: "other_env" })) ?? {};
  assertEquals(env_id, "env-somebody-else");
  const lease = jsonOf(await meet(bench, { kind: "other_env" }, "lease"));
  const claims = atob(String(lease?.["grant"]).split(".")[1] ?? "");
  assertStringIncludes(claims, '"env_id":"env-somebody-else"');
  assertEquals(bench.tenancy.envs(), [ENV], "the other environment stays unknown");
});

faultTest("never_answer, slow and drip", async (bench) => {
  const silent = await meet(bench, { kind: "never_answer" }, "checkin", 150);
  assertEquals([silent.status, silent.end], [null, "deadline"]);
  const started = performance.now();
  assertEquals((await meet(bench, { kind: "slow", ms: 120 })).status, 200);
  assert(performance.now() - started >= 110);
  const dripped = await meet(bench, { kind: "drip", ms: 20 }, "checkin", 200);
  assertEquals(dripped.end, "deadline");
  const patient = await meet(bench, { kind: "drip", ms: 0 });
  assertEquals(jsonOf(patient)?.["env_id"], ENV);
});

faultTest("reset and lost_answer differ in their effect", async (bench) => {
  const reset = await meet(bench, { kind: "reset" }, "report");
  assertEquals([reset.end, reset.body.length], ["reset", 0]);
  assertEquals(bench.tenancy.record.reports.length, 0);
  const lost = await meet(bench, { kind: "lost_answer" }, "report");
  assertEquals([lost.end, lost.body.length], ["reset", 0]);
  assertEquals(bench.tenancy.record.reports.length, 1);
  assertEquals((await bench.send("report")).status, 202);
  assertEquals(bench.tenancy.record.reports.map((report) => report.duplicates), [1]);
});

faultTest("bodies that do not fit their Content-Length", async (bench) => {
  const cut = await meet(bench, { kind: "cut_body" });
  assertEquals([cut.status, cut.end], [200, "closed"]);
  assert(cut.body.length > 0 && cut.body.length < length(cut));
  const reset = await meet(bench, { kind: "reset_body" });
  assertEquals([reset.status, reset.end], [200, "reset"]);
  assert(reset.body.length < length(reset));
  const short = await meet(bench, { kind: "short_length" });
  assert(short.body.length > length(short));
  assertEquals(jsonOf(short)?.["env_id"], ENV);
});

faultTest("answers that are no JSON of tenancy's", async (bench) => {
  const page = await meet(bench, { kind: "html" });
  assertEquals([page.status, page.headers["content-type"]], [200, "text/html; charset=utf-8"]);
  assertEquals((await meet(bench, { kind: "html", status: 502 })).status, 502);
  const plain = await meet(bench, { kind: "wrong_content_type" });
  assertEquals([plain.headers["content-type"], jsonOf(plain)?.["env_id"]], ["text/plain", ENV]);
  const garbage = await meet(bench, { kind: "garbage" });
  assertEquals([garbage.status, jsonOf(garbage)], [200, null]);
  const alien = await meet(bench, { kind: "not_http" });
  assertEquals(alien.status, null);
  assertStringIncludes(text(alien), "SSH-2.0");
  const zipped = await meet(bench, { kind: "gzip_body" });
  assertEquals([zipped.headers["content-encoding"], zipped.body[0], zipped.body[1]], [
    "gzip",
    0x1f,
    0x8b,
  ]);
});

faultTest("redirects", async (bench) => {
  const moved = await meet(bench, { kind: "redirect" });
  assertEquals([moved.status, moved.headers["location"]], [
    307,
    "http://elsewhere.invalid/agent/v1/checkin",
  ]);
  const found = await meet(bench, { kind: "redirect", status: 302, location: "https://x.test/" });
  assertEquals([found.status, found.headers["location"]], [302, "https://x.test/"]);
});

faultTest("a huge body is valid JSON, and can be left in the middle", async (bench) => {
  const whole = await meet(bench, { kind: "huge_body", bytes: 3_000_000 });
  assertEquals(whole.body.length, length(whole));
  assertEquals(String(jsonOf(whole)?.["padding"]).length, 3_000_000);
  const left = await meet(bench, { kind: "huge_body" }, "report", 30_000, 2_000_000);
  assert(length(left) > 1024 ** 3 && left.body.length < 3_000_000);
});

faultTest("legacy lease replies", async (bench) => {
  const all = jsonOf(await meet(bench, { kind: "legacy_lease" }, "lease")) ?? {};
  assertEquals(Object.keys(all).sort(), [
    "expires_at",
    "role_id",
    "secret_id",
    "wrap_info",
    "wrapped_token",
    "wrapping_token",
  ]);
  bench.tenancy.faults.arm({ kind: "legacy_lease" });
  assertEquals((await bench.send("checkin")).status, 200, "it is about leases alone");
  bench.tenancy.faults.clear();
  const one = await meet(bench, { kind: "legacy_lease", field: "secret_id" }, "lease");
  assertEquals(Object.keys(jsonOf(one) ?? {}).sort(), ["expires_at", "secret_id"]);
  const mixed = jsonOf(await meet(bench, { kind: "legacy_lease", field: "mixed" }, "lease")) ?? {};
  assert("grant" in mixed && "role_id" in mixed);
});

faultTest("fields that are missing, mistyped or unknown", async (bench) => {
  const without = jsonOf(await meet(bench, { kind: "missing_field" })) ?? {};
  assertEquals(["desired" in without, "env_id" in without], [false, true]);
  const deep = jsonOf(await meet(bench, { kind: "missing_field", field: "desired.sha" })) ?? {};
  assertEquals(Object.keys(deep["desired"] as object), ["state", "serial"]);
  assertEquals(jsonOf(await meet(bench, { kind: "mistyped_field" }, "lease"))?.["grant"], 7);
  const serial = await meet(bench, { kind: "mistyped_field", field: "desired.serial" });
  assertEquals((jsonOf(serial)?.["desired"] as { serial: unknown }).serial, "seven");
  const more = jsonOf(await meet(bench, { kind: "extra_fields" })) ?? {};
  assert("x_unknown" in more && "x_unknown" in (more["desired"] as object));
});

faultTest("a fault meets its own call and environment only, as often as it says", async (bench) => {
  const { tenancy, send } = bench;
  tenancy.faults.arm({ kind: "internal", call: "lease", env: "env-dev-06" });
  tenancy.faults.arm({ kind: "unavailable", call: "lease", times: 2 });
  assertEquals((await send("checkin")).status, 200);
  assertEquals((await send("lease")).status, 503);
  assertEquals((await send("lease")).status, 503);
  assertEquals((await send("lease")).status, 201);
  const id = tenancy.faults.arm({ kind: "internal", call: "bundle", env: ENV });
  assertEquals((await send("bundle")).status, 500, "the bundle call's env is the bearer's");
  assertEquals(tenancy.faults.clear(id), 1);
  assertEquals((await send("bundle")).status, 404);
  assertEquals(tenancy.faults.clear(), 1);
});

Deno.test("every fault does what it says", async (context) => {
  for (const { name, run } of steps) {
    await context.step(name, () =>
      withTenancy(async (bench) => {
        await bench.tenancy.publish(ENV, COMPOSE);
        await run(bench);
        assertEquals(bench.tenancy.record.violations, []);
        assertEquals((await bench.send("checkin")).status, 200, "it serves on afterwards");
      }));
  }
  assertEquals([...tested].sort(), Object.keys(FAULT_KINDS).sort() as FaultKind[]);
});

Deno.test("no fault can be armed that does not exist", () => {
  const faults = new Faults();
  assertThrows(() => faults.arm({ kind: "toString" as FaultKind }), TypeError);
  assertThrows(() => faults.arm({ kind: "reset", times: 0 }), TypeError);
});
