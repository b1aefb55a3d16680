/** The session's planner, round after round, as the engine asks it. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  type GrantFacts,
  planSession,
  type SessionDone,
  type SessionFacts,
  type SessionPlan,
} from "../../src/core/plan_session.ts";
import { DAY_S, facts, grant, HOUR_S, NOW, NOW_S, token } from "./session_samples.ts";

const unusable: GrantFacts = { kind: "unusable", code: "GRANT_UNREADABLE", message: "mode 0644" };

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
