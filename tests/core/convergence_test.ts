/**
 * Convergence as a property: whatever lies on the box, whatever was remembered, wherever ticks are
 * killed, the ticks after that end in what is wanted, and nothing is left to do.
 */

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import type { Container } from "../../src/model/containers.ts";
import { type AgentState, emptyState } from "../../src/model/state.ts";
import type { Desired } from "../../src/model/tenancy_wire.ts";
import { takeReleased } from "../../src/core/as_released.ts";
import { BoxModel, type ModelRelease } from "../support/box_model.ts";
import { container } from "../fakes/docker_values.ts";

const SHAS = ["a", "b", "c"].map((digit) => digit.repeat(64));
const SERVICES = ["web", "db", "job"];
const STATES = [
  ...["created", "running", "restarting", "exited", "paused", "removing", "dead", "hovering"],
];
/** How often services may turn out unhealthy after an up, and how often a release had failed before. */
const MAX_FLAKY = 3;
const MAX_ATTEMPTS = 9;
/**
 * A tick a minute. The longest way: what is left of the wait that the box begins with, the longest wait
 * (15 minutes) after each unhealthy up and after one failure for flapping, and ticks that do the work.
 */
const MAX_TICKS = MAX_ATTEMPTS + 15 * (MAX_FLAKY + 1) + 10;
const AT = "2026-11-29T00:00:00.000Z";

const release: fc.Arbitrary<ModelRelease> = fc.record({
  // One service at least is none that ends.
  web: fc.record({
    replicas: fc.integer({ min: 1, max: 3 }),
    oneShot: fc.constant(false),
    revision: fc.nat(2),
  }),
  db: fc.option(fc.record({
    replicas: fc.constant(1),
    oneShot: fc.constant(false),
    revision: fc.nat(1),
  })),
  job: fc.option(fc.record({
    replicas: fc.constant(1),
    oneShot: fc.constant(true),
    revision: fc.nat(1),
  })),
}).map((all) => {
  const present = Object.entries(all).flatMap(([name, each]) =>
    each === null ? [] : [[name, each]]
  );
  return Object.fromEntries(present) as ModelRelease;
});

const stray: fc.Arbitrary<Container> = fc.record({
  service: fc.constantFrom(...SERVICES, "old"),
  state: fc.constantFrom(...STATES),
  health: fc.constantFrom(null, "healthy", "unhealthy", "starting"),
  exitCode: fc.constantFrom(null, 0, 1, 137),
  revision: fc.nat(2),
  oneoff: fc.boolean(),
}).map(({ revision, ...rest }) =>
  container({
    ...rest,
    // As the Engine tells it: only a running container has health, only an ended one a code.
    health: rest.state === "running" ? rest.health : null,
    exitCode: ["exited", "restarting"].includes(rest.state) ? rest.exitCode : null,
    configHash: `${rest.service}-${revision}`,
    imageId: `sha256:${revision}`,
  })
);

const scenario = fc.record({
  releases: fc.tuple(release, release, release),
  strays: fc.array(stray, { maxLength: 6 }),
  /** Index of the applied release, and what of it is known and there. */
  applied: fc.option(fc.nat(2)),
  forgotten: fc.boolean(),
  runs: fc.boolean(),
  onDisk: fc.subarray(SHAS),
  halfDone: fc.option(fc.nat(2)),
  failed: fc.option(
    fc.record({ of: fc.nat(2), attempts: fc.integer({ min: 1, max: MAX_ATTEMPTS }) }),
  ),
  repairs: fc.array(fc.nat(400_000), { maxLength: 8 }),
  flaky: fc.nat(MAX_FLAKY),
  wanted: fc.option(fc.nat(2), { freq: 5 }),
  /** Before the box is left in peace: another wish, and a kill after so many pieces. */
  kills: fc.array(
    fc.record({ wanted: fc.option(fc.nat(2), { freq: 5 }), pieces: fc.nat(40) }),
    { maxLength: 5 },
  ),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

const WEB = { web: { replicas: 1, oneShot: false, revision: 0 } };
const PLAIN: Scenario = {
  ...{ releases: [WEB, WEB, WEB], strays: [], applied: 0, forgotten: false, runs: false },
  ...{ onDisk: [], halfDone: null, failed: null, repairs: [], flaky: 0, wanted: 0, kills: [] },
};
/** Found once in a hundred thousand, so looked at each time. */
const RARE: readonly Scenario[] = [
  // A failure that is waited for, then flapping, then each wait the longest.
  { ...PLAIN, failed: { of: 0, attempts: 4 }, repairs: [0, 0, 0, 0, 0], flaky: MAX_FLAKY },
  // A paused container of another release beside a service that is missing.
  {
    ...PLAIN,
    releases: [{ ...WEB, db: { replicas: 1, oneShot: false, revision: 0 } }, WEB, WEB],
    strays: [container({ state: "paused", configHash: "web-1", imageId: "sha256:1" })],
    onDisk: SHAS.slice(0, 1),
  },
];

function wish(index: number | null): Desired {
  return index === null
    ? { state: "absent" }
    : { state: "present", sha: SHAS[index] ?? "", serial: null };
}

function boxOf(facts: Scenario): BoxModel {
  const releases = Object.fromEntries(
    facts.releases.map((each, index) => [SHAS[index] ?? "", each]),
  );
  const box = new BoxModel(releases, emptyState("env-qa-02", "p"));
  const now = box.now;
  let state: AgentState = box.state;
  if (facts.applied !== null) {
    const sha = SHAS[facts.applied] ?? "";
    const own = Object.entries(releases[sha] ?? {}).flatMap(([name, { replicas }]) =>
      Array.from({ length: replicas }, () => box.asReleased(sha, name))
    );
    if (facts.runs) box.containers.push(...own);
    const applied = { sha, serial: null, at: AT };
    const released = facts.forgotten ? null : takeReleased(own, box.modelOf(sha));
    state = { ...state, applied, released, history: [applied] };
  }
  if (facts.halfDone !== null) {
    state = { ...state, applying: { sha: SHAS[facts.halfDone] ?? "", step: "up", since: AT } };
  }
  if (facts.failed !== null) {
    const { of, attempts } = facts.failed;
    const times = { at: now - 1_000, nextAttemptAt: now + attempts * 60_000 };
    const failed = { sha: SHAS[of] ?? "", code: "UNHEALTHY", attempts, ...times };
    state = { ...state, failed: { ...failed, quarantined: false } };
  }
  box.state = { ...state, repairs: facts.repairs.map((ago) => now - ago) };
  box.containers.push(...facts.strays.map((each, index) => ({ ...each, id: `stray${index}` })));
  for (const sha of facts.onDisk) box.disk.add(sha);
  box.flaky = facts.flaky;
  return box;
}

/** What runs, in words; one-shots, which end by themselves, and one-offs do not count. */
function standing(containers: readonly Container[]): readonly string[] {
  return containers
    .filter((each) => !each.oneoff && each.service !== "job")
    .map((each) => `${each.service} ${each.state} ${each.configHash} ${each.imageId}`)
    .sort();
}

function expected(box: BoxModel, sha: string): readonly string[] {
  return Object.entries(box.releases[sha] ?? {})
    .filter(([, { oneShot }]) => !oneShot)
    .flatMap(([name, { replicas, revision }]) =>
      Array.from(
        { length: replicas },
        () => `${name} running ${name}-${revision} sha256:${revision}`,
      )
    )
    .sort();
}

Deno.test("from any box, killed at any piece of any tick, the ticks after that end in what is wanted", () => {
  fc.assert(
    fc.property(scenario, (facts) => {
      const box = boxOf(facts);
      for (const { wanted, pieces } of facts.kills) {
        box.tick(wish(wanted), pieces);
        box.now += 60_000;
      }
      const desired = wish(facts.wanted);
      let quiet = false;
      for (let turn = 0; turn < MAX_TICKS && !quiet; turn++) {
        const decision = box.tick(desired);
        quiet = decision?.kind === "nothing" && decision.left !== true;
        box.now += 60_000;
      }
      assert(quiet, `still busy: ${JSON.stringify(box.state)}`);
      assertEquals([box.state.applying, box.state.outbox], [null, []]);
      if (desired.state === "absent") {
        assertEquals([box.containers, box.state.applied], [[], null]);
      } else {
        assertEquals(standing(box.containers), expected(box, desired.sha));
        const jobs = box.containers.filter((each) => each.service === "job" && !each.oneoff);
        assert(
          jobs.length <= ("job" in (box.releases[desired.sha] ?? {}) ? 1 : 0),
          "a job is left",
        );
        assertEquals(box.state.applied?.sha, desired.sha);
      }
      const ids = box.delivered.map((each) => each.report_id);
      assertEquals(new Set(ids).size, ids.length, "a report was delivered twice");
    }),
    { numRuns: 3_000, examples: RARE.map((facts) => [facts]) },
  );
});
