import { assertEquals } from "@std/assert";
import { type Ending, type ReportFacts, settle } from "../../src/core/settle.ts";
import { type AgentState, emptyState } from "../../src/model/state.ts";

const A = "a".repeat(64);
const B = "b".repeat(64);
const NOW = Date.UTC(2026, 10, 30, 12);
const AT = new Date(NOW).toISOString();
const RELEASED = {
  web: { count: 1, configHashes: ["h"], imageIds: ["sha256:i"], oneShot: false },
};

const FACTS: ReportFacts = {
  reportId: "00000000-0000-4000-8000-000000000001",
  agentVersion: "0.2.0",
  tokenSource: "lease",
  startedAt: NOW - 5_000,
  finishedAt: NOW,
  steps: [{ action: "up", ms: 4_000, ok: true }],
  services: [],
};

const EMPTY = emptyState("env-qa-02", "monky-env-qa-02");
const RUNNING: AgentState = {
  ...EMPTY,
  applied: { sha: A, serial: 1, at: AT },
  released: RELEASED,
  secrets: [{ var: "KEY", version: 2 }],
  history: [{ sha: A, serial: 1, at: AT }],
};

const APPLIED: Ending = {
  kind: "applied",
  sha: B,
  serial: 2,
  released: RELEASED,
  secrets: [{ var: "KEY", version: 3 }],
};

const FAILED: Ending = {
  kind: "failed",
  sha: B,
  serial: 2,
  code: "UNHEALTHY",
  detail: "UNHEALTHY: web exited with 3",
  hint: "Look at web.",
  secrets: [],
  touched: true,
};

Deno.test("an applied release becomes the newest, and clears failure, mark and repairs", () => {
  const before: AgentState = {
    ...RUNNING,
    applying: { sha: B, step: "up", since: AT },
    repairs: [1, 2],
    failed: { sha: B, code: "UNHEALTHY", attempts: 3, at: 0, nextAttemptAt: 1, quarantined: false },
  };
  const after = settle(before, APPLIED, FACTS);
  assertEquals(after.applied, { sha: B, serial: 2, at: AT });
  assertEquals(after.history.map((release) => release.sha), [A, B]);
  assertEquals([after.failed, after.applying, after.repairs], [null, null, []]);
  assertEquals(after.secrets, [{ var: "KEY", version: 3 }]);
});

Deno.test("what is applied over itself counts towards the flap limit, bounded", () => {
  const again = { ...APPLIED, sha: A };
  const once = settle({ ...RUNNING, repairs: [1] }, again, FACTS);
  assertEquals(once.repairs, [1, FACTS.finishedAt]);
  const worn = settle({ ...RUNNING, repairs: Array(16).fill(1) }, again, FACTS);
  assertEquals([worn.repairs.length, worn.repairs.at(-1)], [16, FACTS.finishedAt]);
});

Deno.test("an older release that comes back is the newest of the history, once", () => {
  const history = [{ sha: A, serial: null, at: AT }, { sha: B, serial: null, at: AT }];
  const after = settle({ ...RUNNING, history }, { ...APPLIED, sha: A }, FACTS);
  assertEquals(after.history.map((release) => release.sha), [B, A]);
});

Deno.test("a failure keeps the applied release and counts; the mark stays when it touched", () => {
  const applying = { sha: B, step: "up", since: AT };
  const touched = settle({ ...RUNNING, applying }, FAILED, FACTS);
  assertEquals(touched.applied, RUNNING.applied);
  assertEquals(touched.applying, applying);
  assertEquals([touched.failed?.attempts, touched.failed?.hint], [1, "Look at web."]);
  const untouched = settle({ ...RUNNING, applying }, { ...FAILED, touched: false }, FACTS);
  assertEquals(untouched.applying, null);
});

Deno.test("each ending is reported under the release it is about", () => {
  const rows: readonly [Ending, string, string | null, string | undefined][] = [
    [APPLIED, "applied", B, undefined],
    [{ ...APPLIED, note: "rollback allowed" }, "applied", B, "rollback allowed"],
    [{ kind: "repaired", released: RELEASED, broughtUp: [] }, "repaired", A, undefined],
    [{ kind: "restored", released: RELEASED, note: "after X" }, "restored", A, "after X"],
    [{ kind: "removed" }, "removed", A, undefined],
    [FAILED, "failed", B, "UNHEALTHY: web exited with 3"],
  ];
  for (const [ending, result, sha, detail] of rows) {
    const report = settle(RUNNING, ending, FACTS).outbox.at(-1);
    assertEquals([report?.result, report?.sha, report?.detail], [result, sha, detail]);
  }
});

Deno.test("a restored box quarantines what failed and keeps what it had", () => {
  const failed = settle(RUNNING, FAILED, FACTS);
  const after = settle(failed, { kind: "restored", released: RELEASED, note: "n" }, FACTS);
  assertEquals([after.failed?.sha, after.failed?.quarantined, after.applying], [B, true, null]);
  assertEquals(after.applied, RUNNING.applied);
});

Deno.test("a repair of the applied release forgets its own failure and no other", () => {
  const other = settle(RUNNING, { ...FAILED, touched: false }, FACTS);
  const repaired = { kind: "repaired", released: RELEASED, broughtUp: [] } as const;
  assertEquals(settle(other, repaired, FACTS).failed?.sha, B);
  const own = settle(RUNNING, { ...FAILED, sha: A, touched: false }, FACTS);
  assertEquals(settle(own, repaired, FACTS).failed, null);
});

Deno.test("a repair vouches for what it brought up alone: another service stays as it was released", () => {
  const web = { count: 1, configHashes: ["other"], imageIds: ["sha256:j"], oneShot: false };
  const left = { count: 0, configHashes: [], imageIds: [], oneShot: false };
  const taken = { web, left };
  const table: readonly (readonly [readonly string[], unknown])[] = [
    [["web"], taken],
    [[], { ...RELEASED, left }],
  ];
  for (const [broughtUp, released] of table) {
    const after = settle(RUNNING, { kind: "repaired", released: taken, broughtUp }, FACTS);
    assertEquals(after.released, released);
  }
  const gone = settle(RUNNING, { kind: "repaired", released: { left }, broughtUp: [] }, FACTS);
  assertEquals(gone.released, { left });
});

Deno.test("a failure that knows its next try has that one, any other is paced", () => {
  assertEquals(settle(RUNNING, FAILED, FACTS).failed?.nextAttemptAt, NOW + 60_000);
  const known = settle(RUNNING, { ...FAILED, retryAt: NOW + 7 }, FACTS);
  assertEquals([known.failed?.nextAttemptAt, known.failed?.attempts], [NOW + 7, 1]);
});

Deno.test("what grows in the state is bounded", () => {
  let state = RUNNING;
  for (let round = 0; round < 120; round++) {
    const sha = round.toString(16).padStart(64, "0");
    state = settle(state, { ...APPLIED, sha }, FACTS);
    state = settle(state, { kind: "repaired", released: RELEASED, broughtUp: [] }, FACTS);
  }
  assertEquals([state.history.length, state.outbox.length], [50, 32]);
  const removed = settle(state, { kind: "removed" }, FACTS);
  assertEquals([removed.applied, removed.released, removed.secrets], [null, null, []]);
});
