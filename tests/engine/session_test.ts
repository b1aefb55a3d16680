/** The session's engine over stand-ins: in which order it acts, and what a death in between costs. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { reply } from "../fakes/openbao_script.ts";
import { PLACES, sessionBox } from "./session_box.ts";
import { asked, bootedBox, HOUR_MS, livingTokens, open, stops } from "./session_open.ts";

const LOGIN = "/login";
const SEALED = reply(503, { errors: ["Vault is sealed"] });

function full(change: string, path: string): void {
  if (change === "write" && path === PLACES.session) {
    throw new AgentError("DISK_FULL", "the disk is full");
  }
}

Deno.test("the token is on disk before its grant is gone, and the grant goes", async () => {
  const box = await bootedBox();
  assertEquals(box.effects, [
    "POST /v1/auth/jwt-tenancy/login",
    `write ${PLACES.session}`,
    `remove ${PLACES.grant}`,
  ]);
  assertEquals(box.files.text(PLACES.grant), null);
  await open(box);
  assertEquals(box.effects.length, 3, "a token that lives costs nothing");
});

Deno.test("killed before any effect of the first session, the next one has a token and no grant lies about", async () => {
  for (let effect = 0; effect < 3; effect++) {
    const box = await sessionBox();
    await box.reveal();
    box.killBefore(effect);
    await assertRejects(() => open(box));
    box.killBefore(null);
    const { token, consumed } = await open(box);
    assertEquals([token?.source, consumed.length], ["bootstrap", 1]);
    assertEquals(box.files.text(PLACES.grant), null, `killed before effect ${effect}`);
    // The token of a login whose answer nobody wrote down is the most that a death can leave.
    assert(livingTokens(box) <= 2, `${livingTokens(box)} tokens live`);
  }
});

Deno.test("a disk that is full when the token is saved: no half state, no token left behind", async () => {
  const box = await sessionBox();
  await box.reveal();
  const grant = box.files.text(PLACES.grant);
  box.files.before(full);
  for (let tick = 0; tick < 3; tick++) await stops(box, "DISK_FULL");
  assertEquals([box.files.text(PLACES.session), box.files.text(PLACES.grant)], [null, grant]);
  assertEquals(livingTokens(box), 0, "tokens that no file holds live on");
  box.files.before(null);
  assertEquals((await open(box)).token?.source, "bootstrap");
});

Deno.test("a token whose file may have been replaced after all is not revoked", async () => {
  const box = await sessionBox();
  await box.reveal();
  const write = box.agent.ports.files.write;
  Object.assign(box.agent.ports.files, {
    write: async (...args: Parameters<typeof write>): Promise<void> => {
      await write(...args);
      throw new AgentError("FILE_UNWRITABLE", "the folder could not be made durable");
    },
  });
  await stops(box, "FILE_UNWRITABLE");
  Object.assign(box.agent.ports.files, { write });
  const { token } = await open(box);
  assert(token !== null && await box.agent.bao.lookupSelf(token.value) !== null);
});

Deno.test("tenancy's 401 with a fresh grant on disk: the old token waits for its revocation", async () => {
  const box = await bootedBox();
  box.clock.advance(1000);
  await box.reveal({ iat: 0 });
  const { token, revoke, consumed } = await open(box, true);
  assertEquals([token?.source, revoke.length, consumed.length], ["bootstrap", 1, 2]);
  assertEquals(box.files.text(PLACES.grant), null);
});

Deno.test("tenancy's 401 without a grant: the token is forgotten on disk, and the hint names the kit", async () => {
  const box = await bootedBox();
  const error = await stops(box, "AGENT_UNAUTHENTICATED", true);
  assertStringIncludes(error.hint, "install kit");
  assertEquals(JSON.parse(box.files.text(PLACES.session) ?? "").token, null);
  await stops(box, "GRANT_MISSING");
});

Deno.test("tenancy's 401 with a grant that cannot be used: its own code and fix, the token is forgotten", async () => {
  const box = await bootedBox();
  const error = new AgentError("GRANT_UNREADABLE", "belongs to user 7", { hint: "chown 9 it" });
  Object.assign(box.agent.grants, { read: () => Promise.resolve({ kind: "unusable", error }) });
  const stopped = await stops(box, "GRANT_UNREADABLE", true);
  assertStringIncludes(stopped.message, "tenancy does not accept the token");
  assertEquals(stopped.hint, "chown 9 it");
  assertEquals(JSON.parse(box.files.text(PLACES.session) ?? "").token, null);
});

Deno.test("a newer grant while the token works: a login that fails is a warning and no failure", async () => {
  for (
    const answer of [
      SEALED,
      reply(400, { errors: ['role "see-env" could not be found'] }),
      reply(400, { errors: ["error validating token: token not yet valid (nbf) claim"] }),
    ]
  ) {
    const box = await bootedBox();
    box.clock.advance(60_000);
    await box.reveal();
    box.fail(LOGIN, answer);
    assertEquals((await open(box)).token?.source, "bootstrap");
    assertEquals(box.lines.filter((line) => line.startsWith("warn the newer grant")).length, 1);
    assert(box.files.text(PLACES.grant) !== null, "the grant is gone");
    // What was wrong with OpenBao or its role is put right: the grant still counts.
    box.fail("", null);
    const { revoke } = await open(box);
    assertEquals([revoke.length, box.files.text(PLACES.grant)], [1, null]);
  }
});

Deno.test("a newer grant that OpenBao calls expired is not offered again", async () => {
  const box = await bootedBox();
  box.clock.advance(60_000);
  await box.reveal();
  const said = "error validating token: invalid expiration time (exp) claim: token is expired";
  box.fail(LOGIN, reply(400, { errors: [said] }));
  await open(box);
  await open(box);
  assertEquals(asked(box, LOGIN), 2);
});

Deno.test("a box whose clock is a day ahead boots: the clock is measured before the grant is judged", async () => {
  const box = await sessionBox();
  await box.reveal();
  box.skew(24 * 3600);
  assertEquals((await open(box)).token?.source, "bootstrap");
  assertEquals(box.effects.slice(0, 2), [
    "GET /v1/sys/health",
    "POST /v1/auth/jwt-tenancy/login",
  ]);
});

Deno.test("a grant that has expired by OpenBao's clock too stops the tick, unspent", async () => {
  const box = await sessionBox();
  await box.reveal();
  box.clock.advance(2 * HOUR_MS);
  await stops(box, "GRANT_EXPIRED");
  assertEquals(asked(box, LOGIN), 0);
});

Deno.test("a clock that jumped forward past the token's end: asked, and the token is kept", async () => {
  const box = await bootedBox();
  box.skew(40 * 24 * 3600);
  await open(box);
  assertEquals(asked(box, "lookup-self"), 1);
  await open(box);
  assertEquals(asked(box, "lookup-self"), 1, "the dates are put right on disk");
});

Deno.test("a renewal that fails, for now or for good, never fails a tick while the token works", async () => {
  const failures = [
    SEALED,
    reply(404, { errors: ["no handler for route"] }),
    reply(200, "<html>", { "content-type": "text/html" }),
    new AgentError("TLS_REFUSED", "the certificate has an issuer that is not trusted here"),
    new AgentError("BAO_TIMEOUT", "no answer"),
  ];
  for (const answer of failures) {
    const box = await bootedBox();
    box.clock.advance(19 * HOUR_MS);
    box.fail("renew-self", answer);
    const { token, renewal } = await open(box);
    assertEquals([token?.source, renewal.failures], ["bootstrap", 1]);
    await open(box);
    assertEquals(asked(box, "renew-self"), 1, "asked again at once");
    box.fail("", null);
    box.clock.advance(60_000);
    assertEquals((await open(box)).renewal.failures, 0);
  }
});

Deno.test("a token that its last renewal found dead is dropped, and the grant on disk takes over", async () => {
  const box = await bootedBox();
  box.clock.advance(19 * HOUR_MS);
  const before = JSON.parse(box.files.text(PLACES.session) ?? "").token;
  box.bao.kill(before.value);
  await box.reveal({ iat: 0 });
  const { token } = await open(box);
  assert(token !== null && token.jti !== before.jti);
});
