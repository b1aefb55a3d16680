/** Tables for the session's planner: facts in, action out. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type GrantFacts,
  planSession,
  type SessionFacts,
  type SessionPlan,
} from "../../src/core/plan_session.ts";
import { DAY_S, facts, grant, HOUR_S, NOW, NOW_S, token } from "./session_samples.ts";

/** Gives the plan in one word, with its code or its tolerance. */
function gist(plan: SessionPlan): string {
  if (plan.kind === "stop") return `stop ${plan.code}${plan.dropToken ? ", drop" : ""}`;
  if (plan.kind === "login") return `login ${plan.jti}${plan.tolerant ? ", tolerant" : ""}`;
  return plan.kind;
}

const unusable: GrantFacts = {
  kind: "unusable",
  code: "GRANT_UNREADABLE",
  message: "the bootstrap grant /x has mode 0644",
};
const low = token(2 * HOUR_S);
const over = token(-60);

const TABLE: readonly (readonly [string, Partial<SessionFacts>, string])[] = [
  // no token
  ["no token, a fresh grant", { token: null, grant: grant() }, "login boot-2"],
  ["no token, no grant", { token: null }, "stop GRANT_MISSING"],
  ["no token, a bad file", { token: null, grant: unusable }, "stop GRANT_UNREADABLE"],
  [
    "no token, another box's grant",
    { token: null, grant: grant({ envId: "env-b" }) },
    "stop GRANT_ENV_MISMATCH",
  ],
  [
    "no token, a used grant",
    { token: null, grant: grant(), consumed: ["boot-2"] },
    "stop GRANT_CONSUMED",
  ],
  [
    "no token, a grant that seems expired",
    { token: null, grant: grant({ expS: NOW_S - 3600 }) },
    "measureClock",
  ],
  [
    "no token, a grant within the leeway of 60 s",
    { token: null, grant: grant({ expS: NOW_S - 50 }) },
    "login boot-2",
  ],
  [
    "no token, an expired grant, clock measured right",
    { token: null, grant: grant({ expS: NOW_S - 3600 }), done: { clockSkewS: 0 } },
    "stop GRANT_EXPIRED",
  ],
  [
    "no token, a good grant, this box's clock an hour ahead",
    { token: null, grant: grant({ expS: NOW_S - 1800 }), done: { clockSkewS: 3600 } },
    "login boot-2",
  ],
  // a token that works
  ["a token with life", {}, "keep"],
  ["a token with life and a used grant", { grant: grant(), consumed: ["boot-2"] }, "keep"],
  ["a token with life and a bad grant file", { grant: unusable }, "keep"],
  ["a token with life and a newer grant", { grant: grant() }, "login boot-2, tolerant"],
  [
    "a token with life and an older grant",
    { grant: grant({ iatS: NOW_S - 2 * DAY_S }) },
    "keep",
  ],
  ["a token with life and its own grant", { grant: grant({ jti: "lease-1" }) }, "keep"],
  ["a token with life and another box's grant", { grant: grant({ envId: "env-b" }) }, "keep"],
  ["a token with life and an expired grant", { grant: grant({ expS: NOW_S - 3600 }) }, "keep"],
  // renewal
  ["a token exactly at the threshold", { token: token(6 * HOUR_S) }, "keep"],
  ["a token below the threshold", { token: low }, "renew"],
  [
    "a failed renewal that holds the next back",
    { token: low, renewal: { failures: 3, notBefore: NOW + 5000 } },
    "keep",
  ],
  [
    "a failed renewal whose wait is over",
    { token: low, renewal: { failures: 3, notBefore: NOW - 1 } },
    "renew",
  ],
  ["a renewal that failed just now", { token: low, done: { renewal: { kind: "failed" } } }, "keep"],
  [
    "a renewal that gave all",
    { token: token(DAY_S), done: { renewal: { kind: "granted", askedS: DAY_S, ttlS: DAY_S } } },
    "keep",
  ],
  [
    "a renewal that gave less than asked and enough",
    {
      token: token(8 * HOUR_S),
      done: { renewal: { kind: "granted", askedS: DAY_S, ttlS: 8 * HOUR_S } },
    },
    "keep",
  ],
  [
    "a renewal that gave all that was asked, below a threshold that no token reaches",
    {
      token: token(DAY_S),
      renewBelowS: 2 * DAY_S,
      done: { renewal: { kind: "granted", askedS: DAY_S, ttlS: DAY_S } },
    },
    "keep",
  ],
  [
    "case 51: a renewal that came back short",
    { token: token(40), done: { renewal: { kind: "granted", askedS: DAY_S, ttlS: 40 } } },
    "leaseAndSwap",
  ],
  [
    "case 51: a short renewal, swapped",
    {
      token: token(DAY_S),
      done: { renewal: { kind: "granted", askedS: DAY_S, ttlS: 40 }, swap: "done" },
    },
    "keep",
  ],
  [
    "case 51: a short renewal, no lease to be had",
    {
      token: token(40),
      done: { renewal: { kind: "granted", askedS: DAY_S, ttlS: 40 }, swap: "deferred" },
    },
    "keep",
  ],
  [
    "case 51: a renewal refused for good",
    { token: low, done: { renewal: { kind: "refused" } } },
    "leaseAndSwap",
  ],
  [
    "case 52: a forbidden renewal",
    { token: low, done: { renewal: { kind: "forbidden" } } },
    "verify",
  ],
  [
    "case 52: a forbidden renewal, the token lives",
    { token: low, done: { renewal: { kind: "forbidden" }, verified: "alive" } },
    "keep",
  ],
  [
    "case 52: a forbidden renewal, OpenBao cannot say",
    { token: low, done: { renewal: { kind: "forbidden" }, verified: "unknown" } },
    "keep",
  ],
  [
    "case 52: a forbidden renewal, the token is dead, no grant",
    { token: low, done: { renewal: { kind: "forbidden" }, verified: "dead" } },
    "stop GRANT_MISSING, drop",
  ],
  // dates that prove nothing
  ["a token whose time seems over", { token: over }, "verify"],
  ["a token whose time seems over, alive", { token: low, done: { verified: "alive" } }, "renew"],
  [
    "a token whose time seems over, no answer",
    { token: over, done: { verified: "unknown" } },
    "keep",
  ],
  [
    "a token whose time is over, a fresh grant",
    { token: over, grant: grant(), done: { verified: "dead" } },
    "login boot-2",
  ],
  [
    "a token whose time is over, its own used grant",
    {
      token: token(-60, { jti: "boot-2", source: "bootstrap" }),
      grant: grant(),
      done: { verified: "dead" },
    },
    "stop GRANT_CONSUMED, drop",
  ],
  [
    "a token checked in the future",
    { token: token(DAY_S, { checkedAt: NOW + 120_000 }) },
    "verify",
  ],
  [
    "a token with more life than there is",
    { token: token(40 * DAY_S, { checkedAt: NOW }) },
    "verify",
  ],
  // tenancy's refusal
  [
    "a rejected token, no grant",
    { tokenRejected: true },
    "stop AGENT_UNAUTHENTICATED, drop",
  ],
  [
    "a rejected token, a used grant",
    { tokenRejected: true, grant: grant(), consumed: ["boot-2"] },
    "stop AGENT_UNAUTHENTICATED, drop",
  ],
  [
    "a rejected token, a grant of the wrong owner",
    { tokenRejected: true, grant: unusable },
    "stop GRANT_UNREADABLE, drop",
  ],
  ["a rejected token, a fresh grant", { tokenRejected: true, grant: grant() }, "login boot-2"],
  [
    "a rejected token, a fresh grant that is older than the token",
    { tokenRejected: true, grant: grant({ iatS: NOW_S - 2 * DAY_S }) },
    "login boot-2",
  ],
  [
    "a rejected token that was dropped meanwhile",
    { token: null, tokenRejected: true },
    "stop AGENT_UNAUTHENTICATED",
  ],
];

for (const [name, overrides, expected] of TABLE) {
  Deno.test(`planSession(): ${name} → ${expected}`, () => {
    assertEquals(gist(planSession(facts(overrides))), expected);
  });
}

Deno.test("planSession() says of a stop what is wrong with token and grant", () => {
  const plan = planSession(facts({ tokenRejected: true, grant: grant(), consumed: ["boot-2"] }));
  assert(plan.kind === "stop");
  assertEquals(
    plan.message,
    "tenancy does not accept the token, and the bootstrap grant was used before",
  );
});

Deno.test("case 65: a back-off until 2099 holds nobody up", async () => {
  const file = new URL("../cases/65-clock-jump/state-future.json", import.meta.url);
  const { retry_after } = JSON.parse(await Deno.readTextFile(file));
  const renewal = { failures: 1, notBefore: Date.parse(retry_after) };
  assertEquals(gist(planSession(facts({ token: low, renewal }))), "renew");
});

Deno.test("case 65: a token that ended in 1970 is asked for, not thrown away", async () => {
  const file = new URL("../cases/65-clock-jump/state-past.json", import.meta.url);
  const { token_expires_at } = JSON.parse(await Deno.readTextFile(file));
  const old = token(0, { expiresAt: Date.parse(token_expires_at), checkedAt: NOW - 1000 });
  const plan = planSession(facts({ token: old }));
  assertEquals(gist(plan), "verify");
  assert(plan.kind === "verify");
  assertStringIncludes(plan.reason, "seems to be over");
});
