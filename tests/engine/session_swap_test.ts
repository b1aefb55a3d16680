/** Swaps, deferred swaps, leased grants that were not spent, and old tokens until they are revoked. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { leaseToken } from "../../src/engine/lease.ts";
import { revokeOldTokens } from "../../src/engine/revoke.ts";
import { tokenStep } from "../../src/engine/secret_steps.ts";
import { newWork } from "../../src/engine/work.ts";
import { AgentError } from "../../src/errors.ts";
import type { Bundle } from "../../src/model/bundle.ts";
import { reply } from "../fakes/openbao_script.ts";
import { refusal } from "../fakes/tenancy.ts";
import { PLACES, type SessionBox, sessionBox } from "./session_box.ts";
import { asked, bootedBox, HOUR_MS, livingTokens, open } from "./session_open.ts";

const LEASES = "/agent/v1/leases";
const SEALED = reply(503, { errors: ["Vault is sealed"] });

/** Brings the token near the ceiling of its whole life, where no renewal gives six hours more. */
async function nearCeiling(options: { leasesPerHour?: number } = {}): Promise<SessionBox> {
  const box = await sessionBox(options);
  await box.bao.configureRole({ token_ttl: "24h", token_max_ttl: `${24 * 3600}s` });
  await box.reveal();
  await open(box);
  box.clock.advance(20 * HOUR_MS);
  return box;
}

async function lease(box: SessionBox): Promise<void> {
  await leaseToken(box.agent, await box.memory(), { reason: "apply" });
}

async function revoke(box: SessionBox): Promise<void> {
  await revokeOldTokens(box.agent, await box.memory());
}

Deno.test("a renewal that comes back short: one lease, one swap, the old token remembered", async () => {
  const box = await nearCeiling();
  const { token, revoke: old } = await open(box);
  assertEquals([token?.source, old.length, box.tenancy.leases], ["lease", 1, 1]);
  await open(box);
  assertEquals(asked(box, LEASES), 1);
});

Deno.test("no lease to be had for a swap: deferred, the token works on, asked again later", async () => {
  for (
    const fault of [
      refusal(429, "LEASE_RATE_LIMITED"),
      refusal(503, "TENANCY_UNAVAILABLE"),
    ]
  ) {
    const box = await nearCeiling();
    box.tenancy.instead((call) => call === "leases" ? fault : null);
    const { token } = await open(box);
    assertEquals([token?.source, asked(box, LEASES)], ["bootstrap", 1]);
    for (let tick = 0; tick < 30; tick++) {
      box.clock.advance(60_000);
      await open(box);
    }
    assertEquals(asked(box, LEASES), 1, "asked for each tick");
    box.tenancy.instead(null);
    box.clock.advance(HOUR_MS);
    assertEquals((await open(box)).token?.source, "lease");
  }
});

Deno.test("a lease whose login OpenBao cannot answer is kept: ten ticks of outage cost one lease", async () => {
  const box = await bootedBox();
  box.fail("/login", SEALED);
  for (let tick = 0; tick < 10; tick++) {
    const error = await assertRejects(() => lease(box), AgentError);
    assertEquals(error.code, "BAO_SEALED");
    box.clock.advance(60_000);
  }
  assertEquals([box.tenancy.leases, asked(box, LEASES)], [1, 1]);
  box.fail("", null);
  await lease(box);
  const { session } = await box.memory();
  assertEquals([session.token?.source, session.unspent, box.tenancy.leases], ["lease", null, 1]);
  assertEquals(((await box.agent.ports.files.stat(PLACES.session))?.mode ?? 0) & 0o777, 0o600);
});

Deno.test("a kept grant that has run out or that OpenBao refuses makes way for a fresh lease", async () => {
  const old = await bootedBox();
  old.fail("/login", SEALED);
  await assertRejects(() => lease(old), AgentError);
  old.fail("", null);
  old.clock.advance(2 * HOUR_MS);
  await lease(old);
  assertEquals(old.tenancy.leases, 2);

  const refused = await bootedBox();
  refused.fail("/login", SEALED);
  await assertRejects(() => lease(refused), AgentError);
  refused.fail("", null);
  let logins = 0;
  refused.bao.tamper((request, answer) => {
    if (!request.target.endsWith("/login") || logins++ > 0) return answer;
    return reply(400, { errors: ["error validating token: no known key"] });
  });
  await lease(refused);
  assertEquals([refused.tenancy.leases, logins], [2, 2]);
});

Deno.test("killed at any moment of a swap: at most one lease more, one working token, nothing lost", async () => {
  for (let effect = 0; effect < 3; effect++) {
    const box = await bootedBox();
    box.killBefore(effect);
    await assertRejects(() => lease(box), Error);
    box.killBefore(null);
    assert((await open(box)).token !== null, "the token is lost");
    await lease(box);
    assert(box.tenancy.leases <= 2, `${box.tenancy.leases} leases`);
    await revoke(box);
    const { session } = await box.memory();
    assertEquals([session.token?.source, session.revoke], ["lease", []]);
    assert(livingTokens(box) <= 2, `${livingTokens(box)} tokens live`);
  }
});

Deno.test("a disk that is full when a swap is saved: the old token stays, the new one is revoked", async () => {
  const box = await bootedBox();
  const before = box.files.text(PLACES.session);
  box.files.before((change) => {
    if (change === "write") throw new AgentError("DISK_FULL", "the disk is full");
  });
  const error = await assertRejects(() => lease(box), AgentError);
  assertEquals(error.code, "DISK_FULL");
  assertEquals([box.files.text(PLACES.session), livingTokens(box)], [before, 1]);
});

Deno.test("an old token is remembered until OpenBao confirms its end, also over a death", async () => {
  const box = await bootedBox();
  await lease(box);
  for (
    const answer of [
      SEALED,
      new AgentError("TLS_REFUSED", "no"),
      new AgentError("BAO_TIMEOUT", "no"),
    ]
  ) {
    box.fail("revoke-self", answer);
    await revoke(box);
    assertEquals((await box.memory()).session.revoke.length, 1);
    box.clock.advance(2 * HOUR_MS);
  }
  box.fail("", null);
  box.killBefore(1);
  await assertRejects(() => revoke(box), Error);
  box.killBefore(null);
  await revoke(box);
  assertEquals([(await box.memory()).session.revoke, livingTokens(box)], [[], 1]);
});

Deno.test("revocations that fail back off: an hour of ticks asks a handful of times", async () => {
  const box = await bootedBox();
  await lease(box);
  box.fail("revoke-self", SEALED);
  for (let second = 0; second < 3600; second++) {
    await revoke(box);
    box.clock.advance(1000);
  }
  assert(asked(box, "revoke-self") <= 10, `${asked(box, "revoke-self")} requests`);
});

Deno.test("an apply's lease tells the login how many reads follow, any other tells of none", async () => {
  const box = await bootedBox();
  const entries = Array.from({ length: 20 }, (_, at) => ({
    var: `V${at}`,
    path: `p${at}`,
    key: "value",
    version: 1,
  }));
  const bundle = { manifest: { entries } } as unknown as Bundle;
  const start = { sha: "a".repeat(64), env: null, containers: [] };
  await tokenStep(
    box.agent,
    { sha: start.sha },
    newWork({ ...start, memory: await box.memory(), bundle }),
  );
  const swapped = await nearCeiling();
  await open(swapped);
  const told = (each: SessionBox): readonly (number | undefined)[] =>
    each.bao.requests.filter(({ target }) => target.endsWith("/login"))
      .map(({ readsAfter }) => readsAfter);
  assertEquals(told(box), [undefined, 20]);
  assertEquals(told(swapped), [undefined, 0]);
});
