/** How a session changes: what is kept, what waits for revocation, and the bounds. */

import { assert, assertEquals } from "@std/assert";
import {
  type GainedToken,
  isRevocationDue,
  usableGrant,
  withConsumed,
  withFailedRenewal,
  withFailedRevocation,
  withLife,
  withoutToken,
  withRenewal,
  withRevoked,
  withToken,
  withUnspent,
} from "../../src/core/session_change.ts";
import { Secret } from "../../src/model/secret.ts";
import { emptySession, MAX_CONSUMED, MAX_REVOKE, type Session } from "../../src/model/state.ts";

const NOW = Date.UTC(2026, 10, 30);
const FACTS = { now: NOW, renewBelowS: 21_600 };

function gained(jti: string, source: "bootstrap" | "lease", ttlS = 86_400): GainedToken {
  return {
    value: new Secret(`s.${jti}`),
    accessor: `acc-${jti}`,
    ttlS,
    source,
    claims: { jti, envId: "env-a", expS: NOW / 1000 + 3600, iatS: NOW / 1000 - 5 },
  };
}

const booted = withToken(emptySession("env-a"), gained("b1", "bootstrap"), FACTS);

Deno.test("withToken() keeps the token's dates and remembers a bootstrap grant as used", () => {
  const { token, consumed, revoke } = booted;
  assertEquals([token?.jti, token?.source, token?.ttlS], ["b1", "bootstrap", 86_400]);
  assertEquals([token?.checkedAt, token?.expiresAt], [NOW, NOW + 86_400_000]);
  assertEquals(token?.grantIatS, NOW / 1000 - 5);
  assertEquals([consumed, revoke], [["b1"], []]);
});

Deno.test("withToken() lets the swapped token wait for its revocation and no lease be 'used'", () => {
  const swapped = withToken(booted, gained("l1", "lease"), FACTS);
  assertEquals(swapped.token?.accessor, "acc-l1");
  assertEquals(swapped.revoke.map(({ accessor }) => accessor), ["acc-b1"]);
  assertEquals(swapped.consumed, ["b1"]);
  assertEquals(swapped.renewal, { failures: 0, notBefore: 0 });
});

Deno.test("a lease's token that is short from the start is not swapped again at once", () => {
  const swapped = withToken(booted, gained("l1", "lease", 3600), FACTS);
  assertEquals(swapped.renewal.notBefore, NOW + 1_200_000);
});

Deno.test("sessions stay within their bounds, the newest kept", () => {
  let session: Session = emptySession("env-a");
  for (let count = 1; count <= 50; count++) {
    session = withToken(session, gained(`b${count}`, "bootstrap"), FACTS);
  }
  assertEquals([session.revoke.length, session.consumed.length], [MAX_REVOKE, MAX_CONSUMED]);
  assertEquals(session.revoke.at(-1)?.accessor, "acc-b49");
  assertEquals(session.consumed.at(-1), "b50");
});

Deno.test("withoutToken() forgets the token and lets it wait for its revocation", () => {
  const dropped = withoutToken(booted);
  assertEquals([dropped.token, dropped.revoke.length, dropped.consumed], [null, 1, ["b1"]]);
  assertEquals(withoutToken(dropped), dropped);
});

Deno.test("withConsumed() remembers a grant once", () => {
  assertEquals(withConsumed(booted, "b1"), booted);
  assertEquals(withConsumed(booted, "b2").consumed, ["b1", "b2"]);
});

Deno.test("withLife() and withRenewal() date the token anew", () => {
  const later = { now: NOW + 1000, renewBelowS: 21_600 };
  assertEquals(withLife(booted, 100, later.now).token?.expiresAt, NOW + 101_000);
  const renewed = withRenewal(withFailedRenewal(booted, { now: NOW, fraction: 0 }), 86_400, later);
  assertEquals([renewed.token?.ttlS, renewed.renewal], [86_400, { failures: 0, notBefore: 0 }]);
  const short = withRenewal(booted, 900, later);
  assertEquals([short.token?.ttlS, short.renewal.notBefore], [900, later.now + 300_000]);
});

Deno.test("withFailedRenewal() backs off, and less so near the token's end", () => {
  let session = booted;
  const waits: number[] = [];
  for (let count = 0; count < 12; count++) {
    session = withFailedRenewal(session, { now: NOW, fraction: 0.999999 });
    waits.push(session.renewal.notBefore - NOW);
  }
  assertEquals(waits.slice(0, 3), [2000, 4000, 8000]);
  assertEquals(waits.at(-1), 300_000);
  assertEquals(session.renewal.failures, 12);
  const ending = withLife(session, 30, NOW);
  const next = withFailedRenewal(ending, { now: NOW, fraction: 0.999999 });
  assert(next.renewal.notBefore - NOW <= 10_000);
});

Deno.test("a leased grant is kept until it runs out, or until its box has another token", () => {
  const { claims, value } = gained("l1", "lease");
  const kept = withUnspent(booted, { value, claims });
  assertEquals(usableGrant(kept, NOW)?.claims.jti, "l1");
  assertEquals(usableGrant(kept, claims.expS * 1000), null);
  assertEquals(withToken(kept, gained("b2", "bootstrap"), FACTS).unspent, null);
  assertEquals([withoutToken(kept).unspent, withUnspent(kept, null).unspent], [null, null]);
});

Deno.test("revocations that fail wait a minute and more; the first that succeeds ends the waiting", () => {
  let session = withToken(booted, gained("l1", "lease"), FACTS);
  assert(!isRevocationDue(booted, NOW) && isRevocationDue(session, NOW));
  const waits: number[] = [];
  for (let count = 0; count < 8; count++) {
    session = withFailedRevocation(session, { now: NOW, fraction: 0.999999 });
    waits.push((session.revocation.notBefore - NOW) / 60_000);
  }
  assertEquals(waits.map(Math.round), [2, 4, 8, 16, 32, 60, 60, 60]);
  assert(!isRevocationDue(session, NOW) && isRevocationDue(session, NOW + 3_600_000));
  const [old] = session.revoke;
  assert(old !== undefined);
  const { revoke, revocation } = withRevoked(session, old);
  assertEquals([revoke, revocation], [[], { failures: 0, notBefore: 0 }]);
});

Deno.test("case 65: a revocation that a jumped clock put off for years is due", () => {
  const session = withToken(booted, gained("l1", "lease"), FACTS);
  const jumped = { ...session, revocation: { failures: 1, notBefore: NOW + 1e12 } };
  assert(isRevocationDue(jumped, NOW));
});
