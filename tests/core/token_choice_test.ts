/** The token of an apply: facts in, choice out. */

import { assertEquals } from "@std/assert";
import { chooseToken, type TokenChoiceFacts } from "../../src/core/token_choice.ts";
import type { TokenFacts } from "../../src/core/session_facts.ts";

const NOW = Date.UTC(2026, 10, 30);
const HOUR_S = 3600;

function token(source: "bootstrap" | "lease", leftS: number): TokenFacts {
  return {
    source,
    jti: "j",
    grantIatS: 0,
    checkedAt: NOW - HOUR_S * 1000,
    expiresAt: NOW + leftS * 1000,
    ttlS: 24 * HOUR_S,
  };
}

function choose(overrides: Partial<TokenChoiceFacts>): string {
  const choice = chooseToken({
    now: NOW,
    token: token("lease", 20 * HOUR_S),
    renewBelowS: 6 * HOUR_S,
    lookup: "unasked",
    leased: false,
    ...overrides,
  });
  if (choice.kind === "reuse") return choice.confirm ? "reuse, confirm" : "reuse";
  if (choice.kind === "lease") return choice.tolerant ? "lease, tolerant" : "lease";
  return choice.kind;
}

const bootstrap = token("bootstrap", 20 * HOUR_S);

const TABLE: readonly (readonly [string, Partial<TokenChoiceFacts>, string])[] = [
  ["a lease's token with life is reused", {}, "reuse, confirm"],
  ["a lease's token that lookup-self confirms is reused", { lookup: { ttlS: 70_000 } }, "reuse"],
  ["lookup-self says less than the threshold", { lookup: { ttlS: 100 } }, "lease, tolerant"],
  ["lookup-self says exactly the threshold", { lookup: { ttlS: 21_600 } }, "lease, tolerant"],
  ["a lease's token near its end is swapped", { token: token("lease", 900) }, "lease, tolerant"],
  ["a lease's token whose time seems over", { token: token("lease", -9) }, "verify"],
  [
    "a lease's token whose time seems over and is not",
    { token: token("lease", -9), lookup: { ttlS: 70_000 } },
    "reuse",
  ],
  ["a dead token needs a lease", { lookup: "dead" }, "lease"],
  ["a token that is dead right after its lease", { lookup: "dead", leased: true }, "dead"],
  ["the bootstrap token is swapped", { token: bootstrap }, "lease, tolerant"],
  [
    "the bootstrap token is used when tenancy gave no lease",
    { token: bootstrap, leased: true },
    "reuse",
  ],
  [
    "a new lease's token is used, however short",
    { token: token("lease", 60), leased: true },
    "reuse",
  ],
];

for (const [name, overrides, expected] of TABLE) {
  Deno.test(`chooseToken(): ${name} → ${expected}`, () => {
    assertEquals(choose(overrides), expected);
  });
}

Deno.test("chooseToken(): a hundred applies with a lease's token take no lease (0.1.6 in the field)", () => {
  const kinds = Array.from({ length: 100 }, () => choose({}));
  assertEquals(new Set(kinds), new Set(["reuse, confirm"]));
});
