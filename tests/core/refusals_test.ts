import { assertEquals } from "@std/assert";
import { type RefusalFacts, refuse, rollbackOf } from "../../src/core/refusals.ts";
import type { Bundle, BundleMeta } from "../../src/model/bundle.ts";
import { type AgentState, emptyState } from "../../src/model/state.ts";

const A = "a".repeat(64);
const B = "b".repeat(64);
const AT = "2026-11-30T00:00:00.000Z";

function stateWith(applied: string, serial: number | null, history: readonly string[]): AgentState {
  return {
    ...emptyState("env-qa-02", "monky-env-qa-02"),
    applied: { sha: applied, serial, at: AT },
    history: history.map((sha) => ({ sha, serial, at: AT })),
  };
}

function bundleWith(
  change: Partial<Omit<Bundle, "meta">> & { readonly meta?: Partial<BundleMeta> },
): Bundle {
  const { meta, ...rest } = change;
  return {
    sha: A,
    serial: null,
    signature: null,
    files: [],
    manifest: { entries: [], registries: [] },
    template: null,
    compose: "services: {}\n",
    ...rest,
    meta: {
      envId: null,
      serial: null,
      createdAt: null,
      images: [],
      allowRollback: false,
      minVersion: null,
      ...meta,
    },
  };
}

const FACTS: RefusalFacts = {
  envId: "env-qa-02",
  agentVersion: "0.2.0",
  state: emptyState("env-qa-02", "monky-env-qa-02"),
  desiredSerial: null,
  env: { unresolved: [], reserved: [] },
};

Deno.test("a release is a rollback by serial where both have one, else by history", () => {
  const rows: readonly [string, AgentState, string, number | null, boolean][] = [
    ["nothing applied", FACTS.state, A, 1, false],
    ["lower serial", stateWith(B, 5, [B]), A, 4, true],
    ["same serial, other sha", stateWith(B, 5, [B]), A, 5, false],
    ["higher serial, applied before", stateWith(B, 5, [A, B]), A, 6, false],
    ["no serials, applied before", stateWith(B, null, [A, B]), A, null, true],
    ["no serials, never seen", stateWith(B, null, [B]), A, null, false],
    ["no serials, the newest itself", stateWith(A, null, [B, A]), A, null, false],
    ["the applied one has no serial", stateWith(B, null, [A, B]), A, 1, true],
    ["the new one has no serial", stateWith(B, 5, [A, B]), A, null, true],
  ];
  for (const [name, state, sha, serial, expected] of rows) {
    const found = rollbackOf({ sha, serial }, { state, desiredSerial: null });
    assertEquals(found !== null, expected, name);
  }
});

Deno.test("a bundle is refused by the first rule it breaks, each with its code", () => {
  const rolledBack = { ...FACTS, state: stateWith(B, 5, [B]) };
  const rows: readonly [string, Bundle, RefusalFacts, string | null][] = [
    ["a good one", bundleWith({}), FACTS, null],
    ["its own env", bundleWith({ meta: { envId: "env-qa-02" } }), FACTS, null],
    ["another env", bundleWith({ meta: { envId: "env-x" } }), FACTS, "BUNDLE_ENV_MISMATCH"],
    ["newer agent wanted", bundleWith({ meta: { minVersion: "0.3.0" } }), FACTS, "AGENT_TOO_OLD"],
    ["this agent wanted", bundleWith({ meta: { minVersion: "0.2.0" } }), FACTS, null],
    ["rollback", bundleWith({ serial: 4 }), rolledBack, "ROLLBACK_REFUSED"],
    ["allowed", bundleWith({ serial: 4, meta: { allowRollback: true } }), rolledBack, null],
    [
      "reserved before incomplete",
      bundleWith({}),
      { ...FACTS, env: { unresolved: ["A"], reserved: ["PATH"] } },
      "ENV_RESERVED",
    ],
    [
      "incomplete",
      bundleWith({}),
      { ...FACTS, env: { unresolved: ["A", "B"], reserved: [] } },
      "ENV_INCOMPLETE",
    ],
  ];
  for (const [name, bundle, facts, code] of rows) {
    assertEquals(refuse(bundle, facts)?.code ?? null, code, name);
  }
});

Deno.test("an incomplete bundle names every unresolved variable at once", () => {
  const facts = { ...FACTS, env: { unresolved: ["A", "B"], reserved: [] } };
  assertEquals(refuse(bundleWith({}), facts)?.message, "unresolved: A, B");
  const asked = ["A in .env.template line 3", "B in the compose files (BEE is defined)"];
  assertEquals(
    refuse(bundleWith({}), { ...FACTS, env: { ...facts.env, asked } })?.message,
    "unresolved: A, B; A in .env.template line 3; B in the compose files (BEE is defined)",
  );
});
