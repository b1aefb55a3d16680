/**
 * The plan table: every observed state in every situation → what the tick does, as a line that an
 * operator can read. The expectations stand in plan_table.txt, a block for each situation; `*` is
 * the rest of the observed states. A combination without a line is an error.
 */

import { assert, assertEquals } from "@std/assert";
import { decide, type Decision, type DecisionFacts } from "../../src/core/decide.ts";
import { planApply, planRemove, planRepairSteps, planRestore } from "../../src/core/plan.ts";
import type { Step } from "../../src/core/step.ts";
import type { Bundle } from "../../src/model/bundle.ts";
import type { Container } from "../../src/model/containers.ts";
import { type AgentState, emptyState } from "../../src/model/state.ts";
import { container } from "../fakes/docker_values.ts";

const NOW = Date.UTC(2026, 10, 30);
const AT = "2026-11-30T00:00:00.000Z";
const S = "5".repeat(64);
const T = "7".repeat(64);

const web = (change: Partial<Container> = {}): Container => container({ id: "web1", ...change });
const job = (change: Partial<Container> = {}): Container =>
  container({ id: "job1", service: "job", state: "exited", exitCode: 0, ...change });

/** What the Engine lists: the release is one `web` that runs and one finished `job`. */
const OBSERVED: Readonly<Record<string, readonly Container[]>> = {
  "as released": [web(), job()],
  "web's health starting": [web({ health: "starting" }), job()],
  "web unhealthy": [web({ health: "unhealthy" }), job()],
  "web stopped with 0": [web({ state: "exited", exitCode: 0 }), job()],
  "web killed": [web({ state: "exited", exitCode: 137 }), job()],
  "web created, never started": [web({ state: "created" }), job()],
  "web paused": [web({ state: "paused" }), job()],
  "web restarting": [web({ state: "restarting", exitCode: 1 }), job()],
  "web dead": [web({ state: "dead" }), job()],
  "web being removed": [web({ state: "removing" }), job()],
  "web in a state nobody knows": [web({ state: "hovering" }), job()],
  "web gone": [job()],
  "web twice": [web(), web({ id: "web2" }), job()],
  "web half recreated": [
    web({ state: "exited", exitCode: 137 }),
    web({ id: "web2", name: "abc_p-web-1", state: "created", configHash: "h2" }),
    job(),
  ],
  "web of another config": [web({ configHash: "h2" }), job()],
  "web of another image": [web({ imageId: "sha256:bb" }), job()],
  "job pruned": [web()],
  "job failed": [web(), job({ exitCode: 1 })],
  "job running": [web(), job({ state: "running", exitCode: null })],
  "a one-off beside": [web(), job(), web({ id: "run1", oneoff: true, state: "exited" })],
  "an orphan beside": [web(), job(), container({ id: "old1", service: "old" })],
  "nothing": [],
  "only a one-off": [web({ id: "run1", oneoff: true })],
};

const EMPTY = emptyState("env-qa-02", "monky-env-qa-02");
const APPLIED: AgentState = {
  ...EMPTY,
  applied: { sha: S, serial: 1, at: AT },
  released: {
    web: { count: 1, configHashes: ["h1"], imageIds: ["sha256:aa"], oneShot: false },
    job: { count: 1, configHashes: ["h1"], imageIds: ["sha256:aa"], oneShot: true },
  },
  history: [{ sha: S, serial: 1, at: AT }],
};
const failure = (sha: string, change: object = {}): AgentState["failed"] => ({
  ...{ sha, code: "UNHEALTHY", attempts: 2, at: NOW - 60_000, nextAttemptAt: NOW + 60_000 },
  quarantined: false,
  ...change,
});
const HALF_DONE = { sha: T, step: "up", since: AT };
const wanted = (sha: string): DecisionFacts["desired"] => ({ state: "present", sha, serial: 1 });
const ABSENT = { state: "absent" } as const;

/** What is wanted, and what happened before. */
const SITUATIONS: Readonly<Record<string, Partial<DecisionFacts>>> = {
  "S wanted, S applied": {},
  "S wanted, S applied, its files gone": { releaseOnDisk: false },
  "S wanted, S applied, how it ran forgotten": { state: { ...APPLIED, released: null } },
  "S wanted, S applied, five repairs just now": {
    state: { ...APPLIED, repairs: [1, 2, 3, 4, 5].map((n) => NOW - n * 1_000) },
  },
  "S wanted, S applied, five repairs, noted by a clock that was ahead": {
    state: { ...APPLIED, repairs: [1, 2, 3, 4, 5].map((n) => NOW + n * 1_000) },
  },
  "S wanted, S applied, its repair failed": { state: { ...APPLIED, failed: failure(S) } },
  "S wanted, S applied, its repair failed, time to try": {
    state: { ...APPLIED, failed: failure(S, { nextAttemptAt: NOW }) },
  },
  "S wanted, S applied, T half done": { state: { ...APPLIED, applying: HALF_DONE } },
  "S wanted, S applied, T half done and failed": {
    state: { ...APPLIED, applying: HALF_DONE, failed: failure(T) },
  },
  "S wanted, nothing applied": { state: EMPTY },
  "T wanted, S applied": { desired: wanted(T) },
  "T wanted, S applied, T failed": {
    desired: wanted(T),
    state: { ...APPLIED, failed: failure(T) },
  },
  "T wanted, S applied, T failed, --now": {
    desired: wanted(T),
    state: { ...APPLIED, failed: failure(T) },
    force: true,
  },
  "T wanted, S applied, T failed in a future that a clock made up": {
    desired: wanted(T),
    state: { ...APPLIED, failed: failure(T, { nextAttemptAt: Date.UTC(2099, 0, 1) }) },
  },
  "T wanted, S applied, T quarantined": {
    desired: wanted(T),
    state: { ...APPLIED, failed: failure(T, { quarantined: true, nextAttemptAt: 0 }) },
  },
  "T wanted, S applied, T half done": {
    desired: wanted(T),
    state: { ...APPLIED, applying: HALF_DONE },
  },
  "T wanted, S applied, T half done and failed": {
    desired: wanted(T),
    state: { ...APPLIED, applying: HALF_DONE, failed: failure(T) },
  },
  "T wanted, S applied, T half done and failed, on_failure restore": {
    desired: wanted(T),
    state: { ...APPLIED, applying: HALF_DONE, failed: failure(T) },
    restores: true,
  },
  "absent wanted, S applied": { desired: ABSENT },
  "absent wanted, nothing applied": { desired: ABSENT, state: EMPTY },
  "absent wanted, T half done": { desired: ABSENT, state: { ...EMPTY, applying: HALF_DONE } },
};

function nameOf(sha: string): string {
  return sha === S ? "S" : "T";
}

/** The decision in words: what, on what, why. */
function told(decision: Decision): string {
  const reason = decision.reason.replaceAll(S.slice(0, 12), "S").replaceAll(T.slice(0, 12), "T");
  switch (decision.kind) {
    case "apply":
      return `apply ${nameOf(decision.sha)}: ${reason}`;
    case "wait": {
      const until = decision.until === null
        ? "another release"
        : `${(decision.until - NOW) / 1_000} s`;
      return `wait for ${until}: ${reason}`;
    }
    case "repair": {
      const { repair } = decision;
      assert(repair.kind === "repair");
      const parts = [
        ...repair.unpause.map((id) => `unpause ${id}`),
        ...repair.start.map((service) => `start ${service}`),
        ...repair.recreate.map((service) => `recreate ${service}`),
      ];
      return `${parts.join(", ")}: ${reason}`;
    }
    case "nothing":
      return `${decision.left === true ? "leave it to the Engine" : "nothing"}: ${reason}`;
    default:
      return `${decision.kind}: ${reason}`;
  }
}

const text = Deno.readTextFileSync(new URL("./plan_table.txt", import.meta.url));
const blocks = new Map(
  text.split(/^# /m).slice(1).map((block) => {
    const [title = "", ...lines] = block.trimEnd().split("\n");
    const rows = lines.map((line) => line.split(" | ").map((part) => part.trim()));
    return [title, new Map(rows.map(([observed = "", does = ""]) => [observed, does]))] as const;
  }),
);

for (const [situation, facts] of Object.entries(SITUATIONS)) {
  Deno.test(`the plan table: ${situation}`, () => {
    const block = blocks.get(situation) ?? new Map<string, string>();
    for (const [observed, containers] of Object.entries(OBSERVED)) {
      const decision = decide({
        now: NOW,
        force: false,
        desired: wanted(S),
        state: APPLIED,
        releaseOnDisk: true,
        restores: false,
        ...facts,
        containers,
      });
      const expected = block.get(observed) ?? block.get("*");
      assertEquals(`${observed} | ${told(decision)}`, `${observed} | ${expected ?? "no line"}`);
    }
    const unknown = [...block.keys()].filter((each) => each !== "*" && !(each in OBSERVED));
    assertEquals(unknown, [], "lines about states that nobody observes");
  });
}

Deno.test("the plan table has a block for each situation and no other, 120 rows at least", () => {
  assertEquals([...blocks.keys()].sort(), Object.keys(SITUATIONS).sort());
  assert(Object.keys(SITUATIONS).length * Object.keys(OBSERVED).length >= 120);
});

Deno.test("the steps of each decision, in their order", () => {
  const bundle = (variables: readonly string[]): Bundle => ({
    ...{ sha: T, serial: 2, signature: null, files: [], template: null, compose: "" },
    manifest: {
      entries: variables.map((name) => ({ var: name, path: "p", key: "value", version: 1 })),
      registries: [],
    },
    meta: {
      ...{ envId: null, serial: null, createdAt: null, images: [] },
      ...{ allowRollback: false, minVersion: null },
    },
  });
  const facts = { state: APPLIED, releasesKept: 3 };
  const actions = (steps: readonly Step[]): string => steps.map((each) => each.action).join(" ");
  const repair = { kind: "repair", unpause: [], start: ["web"], recreate: [] } as const;
  const rows: readonly (readonly [string, readonly Step[], string])[] = [
    [
      "an apply without secrets asks for no token",
      planApply(bundle([]), facts),
      "preflight stage render validate pull up health commit prune",
    ],
    [
      "an apply with secrets",
      planApply(bundle(["A"]), facts),
      "preflight stage token secrets render validate pull up health commit prune",
    ],
    ["a repair", planRepairSteps(S, repair), "repair health commit"],
    ["a repair of nothing", planRepairSteps(S, { kind: "none" }), ""],
    ["a restore", planRestore(S), "up health commit"],
    ["a removal", planRemove(false), "down gone forget"],
  ];
  for (const [name, steps, expected] of rows) assertEquals(actions(steps), expected, name);
});
