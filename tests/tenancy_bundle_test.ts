// What the development tenancy publishes: the sha, the wire form, limits, signatures, desired state.

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { compactVerify, importSPKI } from "jose";
import { BundleRefused } from "../scripts/tenancy/mod.ts";
import { memoryLookup, startTenancy } from "../scripts/tenancy/mod.ts";
import {
  ENV,
  goodRequest,
  jsonOf,
  newKeyPem,
  SOME_SHA,
  verdict,
  withTenancy,
} from "../scripts/tenancy/test_agent.ts";
import { sendRequest } from "../scripts/tenancy/raw_client.ts";

const COMPOSE = { "docker-compose.yml": "services: {}\n" };

/** Runs the operator's recipe in a folder: sha256sum's listing, and its own sha256sum. */
async function coreutilsSha(dir: string): Promise<string> {
  const recipe = "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum | " +
    "sha256sum | cut -c 1-64";
  const { stdout } = await new Deno.Command("sh", { args: ["-c", recipe], cwd: dir }).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("publish: the sha of a folder is the one that coreutils gives", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${dir}/conf/a`, { recursive: true });
    // Paths whose order by UTF-16, by locale and by bytes differ.
    const names = ["docker-compose.yml", "B", "a", "conf.d", "conf/z", "conf/a/x", "ä", "\u{ff5e}"];
    for (const name of [...names, "\u{1f600}"]) await Deno.writeTextFile(`${dir}/${name}`, name);
    await Deno.writeFile(`${dir}/blob`, new Uint8Array([0, 255, 10]));
    await Deno.writeFile(`${dir}/nul.txt`, new Uint8Array(9));
    await Deno.writeFile(`${dir}/bom.txt`, new Uint8Array([0xef, 0xbb, 0xbf, 65]));
    await Deno.writeTextFile(`${dir}/run.sh`, "#!/bin/sh\n", { mode: 0o755 });
    await withTenancy(async ({ tenancy, send }) => {
      const { sha } = await tenancy.publish(ENV, dir);
      assertEquals(sha, await coreutilsSha(dir));
      const reply = jsonOf(await send("bundle", { target: `/agent/v1/bundles/${sha}` }));
      const files = reply?.["files"] as Record<string, unknown>;
      assertEquals(files["blob"], { content: "AP8K", encoding: "base64" });
      assertEquals(files["nul.txt"], { content: "AAAAAAAAAAAA", encoding: "base64" });
      assertEquals(files["bom.txt"], { content: "\ufeffA" });
      assertEquals(files["run.sh"], { content: "#!/bin/sh\n", mode: "0755" });
    });
    await Deno.symlink("a", `${dir}/link`);
    await withTenancy(async ({ tenancy }) => {
      const error = await assertRejects(() => tenancy.publish(ENV, dir), BundleRefused);
      assertStringIncludes(error.message, "link: a symlink");
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("publish: a bundle over a limit is refused, unless that is what is wanted", async () => {
  const rows: [string, Record<string, string>, string][] = [
    ["no compose file", { a: "" }, "docker-compose.yml: missing"],
    ["absolute", { ...COMPOSE, "/etc/x": "" }, "absolute"],
    ["escape", { ...COMPOSE, "a/../../x": "" }, "leaves the bundle"],
    ["not normalised", { ...COMPOSE, "./a": "" }, "not normalised"],
    ["doubled slash", { ...COMPOSE, "a//b": "" }, "not normalised"],
    ["trailing slash", { ...COMPOSE, "a/": "" }, "not normalised"],
    ["empty", { ...COMPOSE, "": "" }, "empty"],
    ["NUL", { ...COMPOSE, "a\0b": "" }, "control character"],
    ["line break", { ...COMPOSE, "a\nb": "" }, "control character"],
    [".env", { ...COMPOSE, ".env": "" }, ".env"],
    ["nested .env", { ...COMPOSE, "web/.env": "" }, ".env"],
    [".monky", { ...COMPOSE, ".monky/state": "" }, "agent's own"],
    ["long path", { ...COMPOSE, ["d/".repeat(512) + "f"]: "" }, "longer than 1024 bytes"],
    ["long name", { ...COMPOSE, ["ä".repeat(128)]: "" }, "a name longer than 255 bytes"],
    ["file and folder", { ...COMPOSE, "a": "", "a/b": "" }, "a is a file as well"],
    ["size", { ...COMPOSE, "a": "x".repeat(16 * 1024 * 1024) }, "the limit is 16777216"],
    [
      "count",
      Object.fromEntries([...Array(1001).keys()].map((n) => [`f${n}`, ""])),
      "the limit is 1000",
    ],
  ];
  await withTenancy(async ({ tenancy }) => {
    for (const [name, files, message] of rows) {
      const error = await assertRejects(() => tenancy.publish(ENV, files), BundleRefused, "", name);
      assertStringIncludes(error.message, message, name);
      assertEquals(tenancy.desired(ENV).state, "unset", name);
    }
    for (const [name, files] of rows) {
      const { sha } = await tenancy.publish(ENV, files, { unchecked: true });
      assertEquals(Object.values(tenancy.desired(ENV))[1], sha, name);
    }
    await assertRejects(() => tenancy.publish("../etc", COMPOSE), TypeError);
  });
});

Deno.test("publish: serials rise, can be chosen or left out; a rollback keeps the old one", async () => {
  await withTenancy(async ({ tenancy }) => {
    const first = await tenancy.publish(ENV, COMPOSE);
    const second = await tenancy.publish(ENV, { ...COMPOSE, a: "" });
    assertEquals([first.serial, second.serial], [1, 2]);
    const chosen = await tenancy.publish(ENV, { ...COMPOSE, b: "" }, { serial: 40 });
    const next = await tenancy.publish(ENV, { ...COMPOSE, c: "" }, { desired: false });
    assertEquals([chosen.serial, next.serial], [40, 41]);
    assertEquals(tenancy.desired(ENV), { state: "present", sha: chosen.sha, serial: 40 });
    await tenancy.setDesired(ENV, first.sha);
    assertEquals(tenancy.desired(ENV), { state: "present", sha: first.sha, serial: 1 });
    const bare = await tenancy.publish(ENV, { ...COMPOSE, d: "" }, { serial: "none" });
    assertEquals(tenancy.desired(ENV), { state: "present", sha: bare.sha });
    await assertRejects(() => tenancy.setDesired(ENV, SOME_SHA), Error, "has no bundle");
    await assertRejects(() => tenancy.publish(ENV, COMPOSE, { serial: 1.5 }), TypeError);
  });
});

Deno.test("publish: the signature is a compact JWS over sha, env_id, serial and iat", async () => {
  const bundleKeyPem = await newKeyPem();
  await withTenancy(async ({ tenancy, send }) => {
    const published = await tenancy.publish(ENV, COMPOSE, { sign: true });
    const reply = jsonOf(
      await send("bundle", { target: `/agent/v1/bundles/${published.sha}` }),
    );
    assertEquals(reply?.["signature"], published.signature);
    const key = await importSPKI(tenancy.bundlePublicKeyPem, "ES256");
    const { payload, protectedHeader } = await compactVerify(published.signature ?? "", key);
    assertEquals(protectedHeader, { alg: "ES256" });
    const { iat, ...claims } = JSON.parse(new TextDecoder().decode(payload));
    assertEquals(claims, { sha: published.sha, env_id: ENV, serial: 1 });
    assert(Math.abs(iat - Date.now() / 1000) < 60);
    const grantKey = await importSPKI(tenancy.grantPublicKeyPem, "ES256");
    await assertRejects(() => compactVerify(published.signature ?? "", grantKey));
    const forged = await tenancy.publish(ENV, COMPOSE, { sign: { keyPem: await newKeyPem() } });
    await assertRejects(() => compactVerify(forged.signature ?? "", key));
    const raw = await tenancy.publish(ENV, COMPOSE, { sign: { raw: "not.a.jws" } });
    assertEquals(raw.signature, "not.a.jws");
  }, { bundleKeyPem });
});

Deno.test("publishRaw: the bundle call answers byte for byte, to its own environment only", async () => {
  await withTenancy(async ({ tenancy, lookup, send }) => {
    const body = '{"sha":7,"files":[{"a":1},';
    await tenancy.publishRaw(ENV, SOME_SHA, body);
    const answer = await send("bundle");
    assertEquals([answer.status, new TextDecoder().decode(answer.body)], [200, body]);
    const token = lookup.mint("env-dev-06", "jti");
    assertEquals(verdict(await send("bundle", { token })), "404 BUNDLE_NOT_FOUND");
    await assertRejects(() => tenancy.publishRaw(ENV, "../x", ""), TypeError);
  });
});

Deno.test("check-in: without a desired state 503, and a long poll ends when it changes", async () => {
  await withTenancy(async ({ tenancy, send }) => {
    assertEquals(verdict(await send("checkin")), "503 TENANCY_UNAVAILABLE");
    const { sha } = await tenancy.publish(ENV, COMPOSE);
    const applied = { sha, serial: 1, at: "2026-09-07T07:40:00Z" };
    const json = { applied, failed: null, wait_s: 60 };
    const started = performance.now();
    // Something to do: answered at once although it may wait.
    await send("checkin", { json: { ...json, applied: null } });
    const waiting = send("checkin", { json }, 70_000);
    await tenancy.record.waitFor((record) => record.checkins.length === 3, 30_000);
    const next = await tenancy.publish(ENV, { ...COMPOSE, a: "" });
    assertEquals(jsonOf(await waiting)?.["desired"], {
      state: "present",
      sha: next.sha,
      serial: 2,
    });
    assert(performance.now() - started < 50_000, "the polls did not end early");
    const bounded = { ...json, applied: { ...applied, sha: next.sha }, wait_s: 1 };
    const before = performance.now();
    assertEquals((await send("checkin", { json: bounded })).status, 200);
    assert(performance.now() - before >= 900, "the poll did not wait");
  });
});

Deno.test("a folder keeps environments, bundles, grants, leases and report ids", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const options = { keyPem: await newKeyPem(), folder };
    let lookup = memoryLookup();
    let tenancy = await startTenancy({ ...options, lookup });
    const { sha } = await tenancy.publish(ENV, COMPOSE);
    const old = await tenancy.issueBootstrapGrant(ENV);
    const { jti } = await tenancy.issueBootstrapGrant(ENV);
    const token = lookup.mint(ENV, jti);
    for (let count = 0; count < 5; count++) {
      await sendRequest(tenancy.port, goodRequest("lease", token));
    }
    await sendRequest(tenancy.port, goodRequest("report", token));
    await tenancy.close();
    const text = await Deno.readTextFile(`${folder}/state.json`);
    assert(!text.includes(token) && !text.includes(old.grant), "the state holds a secret");
    lookup = memoryLookup();
    tenancy = await startTenancy({ ...options, lookup });
    const ask = async (call: "checkin" | "lease" | "report", by: string): Promise<string> =>
      verdict(await sendRequest(tenancy.port, goodRequest(call, lookup.mint(ENV, by))));
    assertEquals(tenancy.desired(ENV), { state: "present", sha, serial: 1 });
    assertEquals(await ask("checkin", old.jti), "401 AGENT_UNAUTHENTICATED");
    assertEquals(await ask("checkin", jti), "200");
    assertEquals(await ask("lease", jti), "429 LEASE_RATE_LIMITED");
    assertEquals(await ask("report", jti), "202");
    assertEquals(tenancy.record.reports.length, 0);
    const bundle = goodRequest("bundle", lookup.mint(ENV, jti), {
      target: `/agent/v1/bundles/${sha}`,
    });
    assertEquals((await sendRequest(tenancy.port, bundle)).status, 200);
    const unknown = goodRequest("bundle", lookup.mint(ENV, jti));
    assertEquals(verdict(await sendRequest(tenancy.port, unknown)), "404 BUNDLE_NOT_FOUND");
    await tenancy.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
