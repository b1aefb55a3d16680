/** Tables for the session's planner: facts in, action out. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import {
  type GrantFacts,
  planSession,
  type SessionDone,
  type SessionFacts,
  type SessionPlan,
  type TokenFacts,
} from "../../src/core/plan_session.ts";

const NOW = Date.UTC(2026, 10, 30);
const NOW_S = NOW / 1000;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

function token(leftS: number, overrides: Partial<TokenFacts> = {}): TokenFacts {
  return {
    source: "lease",
    jti: "lease-1",
    grantIatS: NOW_S - DAY_S,
    checkedAt: NOW - (DAY_S - leftS) * 1000,
    expiresAt: NOW + leftS * 1000,
    ttlS: DAY_S,
    ...overrides,
  };
}

function grant(
  overrides: Partial<{ jti: string; envId: string; expS: number; iatS: number }> = {},
): GrantFacts {
  return {
    kind: "present",
    claims: {
      jti: "boot-2",
      envId: "env-a",
      expS: NOW_S + HOUR_S / 2,
      iatS: NOW_S - HOUR_S / 2,
      ...overrides,
    },
  };
}

function facts(overrides: Partial<SessionFacts> = {}): SessionFacts {
  return {
    now: NOW,
    envId: "env-a",
    token: token(20 * HOUR_S),
    tokenRejected: false,
    grant: { kind: "absent" },
    consumed: [],
    renewal: { failures: 0, notBefore: 0 },
    renewBelowS: 6 * HOUR_S,
    done: {},
    ...overrides,
  };
}

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

/** Plays the engine: does what is planned, with answers drawn by chance. */
function play(start: SessionFacts, answers: readonly number[]): readonly string[] {
  let now = start;
  const kinds: string[] = [];
  for (const answer of answers) {
    const plan = planSession(now);
    kinds.push(plan.kind);
    if (plan.kind === "keep" || plan.kind === "stop") return kinds;
    now = after(now, plan, answer);
  }
  return [...kinds, "endless"];
}

function after(before: SessionFacts, plan: SessionPlan, answer: number): SessionFacts {
  const done = (more: SessionDone): SessionFacts => ({
    ...before,
    done: { ...before.done, ...more },
  });
  switch (plan.kind) {
    case "verify": {
      const verified = (["alive", "dead", "unknown"] as const)[answer % 3] ?? "alive";
      return done({ verified });
    }
    case "measureClock":
      return done({ clockSkewS: (answer % 3 - 1) * 7200 });
    case "renew": {
      const renewals = [
        { kind: "granted", askedS: DAY_S, ttlS: 40 },
        { kind: "granted", askedS: DAY_S, ttlS: DAY_S },
        { kind: "forbidden" },
        { kind: "refused" },
        { kind: "failed" },
      ] as const;
      return done({ renewal: renewals[answer % 5] ?? { kind: "failed" } });
    }
    case "leaseAndSwap":
      return done({ swap: answer % 2 === 0 ? "done" : "deferred" });
    default: {
      // A login that worked, or one that OpenBao refused for good.
      const { jti } = plan as { jti: string };
      const consumed = [...before.consumed, jti];
      if (answer % 2 === 0) return { ...before, consumed };
      return { ...before, consumed, token: token(DAY_S, { jti }), tokenRejected: false, done: {} };
    }
  }
}

Deno.test("planSession() comes to keep or stop within seven rounds, each action once", () => {
  const anyToken = fc.option(
    fc.record({
      source: fc.constantFrom("bootstrap" as const, "lease" as const),
      jti: fc.constantFrom("boot-2", "lease-1"),
      grantIatS: fc.constantFrom(0, NOW_S - 2 * HOUR_S, NOW_S + HOUR_S),
      checkedAt: fc.integer({ min: -1e6, max: 1e6 }).map((s) => NOW + s * 1000),
      expiresAt: fc.integer({ min: -1e6, max: 4e6 }).map((s) => NOW + s * 1000),
      ttlS: fc.integer({ min: 0, max: 3e6 }),
    }),
  );
  const anyGrant = fc.oneof(
    fc.constant<GrantFacts>({ kind: "absent" }),
    fc.constant(unusable),
    fc.record({
      envId: fc.constantFrom("env-a", "env-b"),
      expS: fc.integer({ min: -9000, max: 9000 }).map((s) => NOW_S + s),
      iatS: fc.integer({ min: -9000, max: 9000 }).map((s) => NOW_S + s),
    }).map(grant),
  );
  const anyFacts = fc.record({
    token: anyToken,
    tokenRejected: fc.boolean(),
    grant: anyGrant,
    consumed: fc.constantFrom([], ["boot-2"]),
    renewal: fc.record({ failures: fc.nat(9), notBefore: fc.integer().map((ms) => NOW + ms) }),
  });
  const answers = fc.array(fc.nat(99), { minLength: 8, maxLength: 8 });
  fc.assert(fc.property(anyFacts, answers, (some, drawn) => {
    const kinds = play(facts(some), drawn);
    assert(kinds.length <= 7, kinds.join(" "));
    assertEquals(new Set(kinds).size, kinds.length, kinds.join(" "));
  }));
});
