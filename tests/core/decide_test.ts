import { assertEquals, assertStringIncludes } from "@std/assert";
import { decide, type DecisionFacts } from "../../src/core/decide.ts";
import type { Container } from "../../src/model/containers.ts";
import { type AgentState, emptyState } from "../../src/model/state.ts";

const NOW = Date.UTC(2026, 10, 30);
const AT = "2026-11-30T00:00:00.000Z";
const S = "a".repeat(64);
const OTHER = "b".repeat(64);

function container(change: Partial<Container> = {}): Container {
  return {
    id: "c1",
    name: "monky-env-qa-02-web-1",
    service: "web",
    state: "running",
    health: null,
    exitCode: null,
    image: "lab/bb:1",
    imageId: "sha256:i",
    configHash: "h",
    oneoff: false,
    ...change,
  };
}

const EMPTY = emptyState("env-qa-02", "monky-env-qa-02");
const APPLIED: AgentState = {
  ...EMPTY,
  applied: { sha: S, serial: 1, at: AT },
  released: { web: { count: 1, configHashes: ["h"], imageIds: ["sha256:i"], oneShot: false } },
  history: [{ sha: S, serial: 1, at: AT }],
};
const FAILED: AgentState = {
  ...APPLIED,
  applied: { sha: OTHER, serial: 1, at: AT },
  failed: {
    sha: S,
    code: "UNHEALTHY",
    attempts: 2,
    at: NOW - 1_000,
    nextAttemptAt: NOW + 60_000,
    quarantined: false,
  },
};
const INTERRUPTED: AgentState = { ...APPLIED, applying: { sha: OTHER, step: "up", since: AT } };

const PRESENT = { state: "present", sha: S, serial: 1 } as const;
const ABSENT = { state: "absent" } as const;

function facts(change: Partial<DecisionFacts>): DecisionFacts {
  return {
    now: NOW,
    force: false,
    desired: PRESENT,
    state: APPLIED,
    containers: [container()],
    releaseOnDisk: true,
    restores: false,
    ...change,
  };
}

Deno.test("the decision table of a tick", () => {
  const due = { ...FAILED, failed: FAILED.failed && { ...FAILED.failed, nextAttemptAt: NOW } };
  const flapping = { ...APPLIED, repairs: [1, 2, 3, 4, 5].map((n) => NOW - n * 1_000) };
  const rows: readonly [string, Partial<DecisionFacts>, string][] = [
    ["absent, applied and running", { desired: ABSENT }, "remove"],
    ["absent, applied, nothing runs", { desired: ABSENT, containers: [] }, "remove"],
    ["absent, containers without a state", { desired: ABSENT, state: EMPTY }, "remove"],
    ["absent, interrupted", { desired: ABSENT, state: INTERRUPTED, containers: [] }, "remove"],
    ["absent, nothing there", { desired: ABSENT, state: EMPTY, containers: [] }, "nothing"],
    ["absent, something failed before", {
      desired: ABSENT,
      state: { ...EMPTY, failed: FAILED.failed },
      containers: [],
    }, "nothing"],
    ["present, as released", {}, "nothing"],
    ["present, stopped", { containers: [container({ state: "exited", exitCode: 0 })] }, "repair"],
    ["present, killed", { containers: [container({ state: "exited", exitCode: 137 })] }, "repair"],
    ["present, missing", { containers: [] }, "repair"],
    ["present, unhealthy", { containers: [container({ health: "unhealthy" })] }, "repair"],
    ["present, paused", { containers: [container({ state: "paused" })] }, "repair"],
    ["present, health starting", { containers: [container({ health: "starting" })] }, "nothing"],
    ["present, the Engine restarts it", {
      containers: [container({ state: "restarting", exitCode: 1 })],
    }, "nothing"],
    ["present, another image under it", {
      containers: [container({ imageId: "sha256:j" })],
    }, "apply"],
    ["present, stopped, release gone from disk", {
      containers: [],
      releaseOnDisk: false,
    }, "apply"],
    ["present, stopped, flapping", { containers: [], state: flapping }, "flapping"],
    ["present, another image under it, flapping", {
      containers: [container({ imageId: "sha256:j" })],
      state: flapping,
    }, "flapping"],
    ["present, as released, flapping before", { state: flapping }, "nothing"],
    ["present, how it should run is lost", { state: { ...APPLIED, released: null } }, "apply"],
    ["present, failed, not due", { state: FAILED }, "wait"],
    ["present, failed, not due, --now", { state: FAILED, force: true }, "apply"],
    ["present, failed, due", { state: due }, "apply"],
    ["present, failed and quarantined, long ago", {
      state: {
        ...FAILED,
        failed: FAILED.failed && { ...FAILED.failed, nextAttemptAt: 1, quarantined: true },
      },
    }, "wait"],
    ["present, failed, not due, the applied one stopped", {
      state: FAILED,
      containers: [],
    }, "repair"],
    ["present, failed, not due, interrupted before", {
      state: { ...FAILED, applying: INTERRUPTED.applying },
      containers: [],
    }, "wait"],
    ["present, failed, not due, killed before it was restored", {
      state: { ...FAILED, applying: INTERRUPTED.applying && { ...INTERRUPTED.applying, sha: S } },
      containers: [],
      restores: true,
    }, "restore"],
    ["present, failed, not due, killed before it was restored from what is gone", {
      state: { ...FAILED, applying: INTERRUPTED.applying && { ...INTERRUPTED.applying, sha: S } },
      restores: true,
      releaseOnDisk: false,
    }, "wait"],
    ["present, another sha failed", {
      desired: { ...PRESENT, sha: "c".repeat(64) },
      state: FAILED,
    }, "apply"],
    ["present, applied S failed to repair, not due", {
      state: { ...APPLIED, failed: FAILED.failed },
      containers: [],
    }, "wait"],
    ["present, applied S failed to repair, runs again", {
      state: { ...APPLIED, failed: FAILED.failed },
    }, "nothing"],
    ["present, other applied", { state: { ...APPLIED, applied: FAILED.applied } }, "apply"],
    ["present, nothing applied", { state: EMPTY, containers: [] }, "apply"],
    ["present, an apply was interrupted", { state: INTERRUPTED }, "apply"],
    ["present, a one-off container is ignored (case 40)", {
      containers: [container(), container({ id: "c2", oneoff: true, state: "exited" })],
    }, "nothing"],
    ["present, a container of another service is there", {
      containers: [container(), container({ id: "c2", service: "old", state: "exited" })],
    }, "apply"],
  ];
  for (const [name, change, kind] of rows) assertEquals(decide(facts(change)).kind, kind, name);
});

Deno.test("every decision says why, in words an operator can use", () => {
  assertStringIncludes(decide(facts({ containers: [] })).reason, "web missing");
  assertStringIncludes(decide(facts({ state: INTERRUPTED })).reason, "stopped in up");
  assertStringIncludes(decide(facts({ state: FAILED })).reason, "failed 2 times with UNHEALTHY");
});
