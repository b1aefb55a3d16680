import { assertEquals, assertStringIncludes } from "@std/assert";
import { historyOf, showHistory } from "../../src/core/show_history.ts";
import { showStatus } from "../../src/core/show_status.ts";
import { type StatusFacts, statusOf } from "../../src/core/status.ts";
import { CATALOGUE } from "../../src/errors.ts";
import type { ApplyRecord } from "../../src/model/history.ts";
import { emptyState } from "../../src/model/state.ts";
import { assertGolden } from "../support/golden.ts";

const A = "a".repeat(64);
const B = "b".repeat(64);
const NOW = Date.UTC(2026, 10, 30, 12);
const AT = "2026-11-30T11:00:00.000Z";
const SERVICE = { count: 1, configHashes: ["h"], imageIds: ["sha256:i"], oneShot: false };
const WEB = {
  id: "1",
  name: "web-1",
  service: "web",
  state: "running",
  health: "healthy",
  exitCode: null,
  image: "registry.example.com/monky/web:1.2",
  imageId: "sha256:i",
  configHash: "h",
  oneoff: false,
} as const;

const FRESH: StatusFacts = {
  agentVersion: "0.2.0",
  site: "cbs",
  transport: "sdk",
  renewBelowS: 21_600,
  state: emptyState("env-qa-02", "monky-env-qa-02"),
  token: null,
  containers: [],
  lastTick: null,
  lastTickS: null,
  found: [],
  now: NOW,
};

const GOOD: StatusFacts = {
  ...FRESH,
  state: {
    ...FRESH.state,
    applied: { sha: A, serial: 42, at: AT },
    released: { web: SERVICE },
    secrets: [{ var: "KEY", version: 3 }],
    history: [{ sha: A, serial: 42, at: AT }],
  },
  token: {
    source: "lease",
    jti: "j",
    grantIatS: 0,
    checkedAt: NOW,
    expiresAt: NOW + 79_800_000,
    ttlS: 86_400,
  },
  containers: [WEB],
  lastTick: { desired: { state: "present", sha: A, serial: 42 }, trouble: null },
  lastTickS: NOW / 1000 - 20,
};

const REPORT = {
  report_id: "00000000-0000-4000-8000-000000000001",
  env_id: "env-qa-02",
  sha: B,
  serial: 43,
  result: "failed",
  started_at: AT,
  finished_at: AT,
  agent_version: "0.2.0",
  token_source: "lease",
  steps: [],
  services: [],
  secrets: [],
} as const;

/** Everything that can go wrong at once. */
const BAD: StatusFacts = {
  ...GOOD,
  state: {
    ...GOOD.state,
    released: { web: SERVICE, db: SERVICE },
    applying: { sha: B, step: "up", since: AT },
    failed: {
      sha: B,
      code: "UNHEALTHY",
      detail: `UNHEALTHY: web exited with 3\n${
        Array.from({ length: 12 }, (_, index) => `web | line ${index + 1}`).join("\n")
      }`,
      attempts: 3,
      at: NOW - 60_000,
      nextAttemptAt: NOW + 240_000,
      quarantined: false,
    },
    outbox: [REPORT],
  },
  token: { ...(GOOD.token as NonNullable<StatusFacts["token"]>), expiresAt: NOW + 3_000_000 },
  containers: [{ ...WEB, state: "exited", health: null, exitCode: 3 }],
  lastTick: {
    desired: { state: "present", sha: B, serial: 43 },
    trouble: {
      code: "TENANCY_UNAVAILABLE",
      message: "tenancy cannot be reached: connection refused",
      hint: "The next tick tries again.",
      since: AT,
    },
  },
};

const BOXES = {
  fresh: FRESH,
  good: GOOD,
  bad: BAD,
  absent: {
    ...FRESH,
    lastTick: { desired: { state: "absent" }, trouble: null },
    containers: null,
  },
} as const satisfies Readonly<Record<string, StatusFacts>>;

for (const [name, facts] of Object.entries(BOXES)) {
  Deno.test(`status of a box that is ${name} is the golden screen and JSON`, async () => {
    const whole = statusOf(facts);
    // The hint stands in the catalogue, which has tests of its own.
    const failed = whole.failed === null ? null : { ...whole.failed, hint: "<hint>" };
    assertEquals(whole.failed?.hint, whole.failed === null ? undefined : CATALOGUE.UNHEALTHY.hint);
    const status = { ...whole, failed };
    await assertGolden(`status/${name}.txt`, showStatus(status, NOW));
    await assertGolden(`status/${name}.json`, `${JSON.stringify(status, null, 2)}\n`);
  });
}

Deno.test("a release that is not tried again says until when, and no next try", () => {
  const { failed } = BAD.state;
  if (failed === null) throw new Error("the bad box has a failed release");
  const state = { ...BAD.state, failed: { ...failed, quarantined: true } };
  const screen = showStatus(statusOf({ ...BAD, state }), NOW);
  assertStringIncludes(
    screen,
    "\n           will not be tried again until another release is wanted",
  );
  assertEquals(screen.includes("next try"), false);
  // Whoever reads this page is not sent to it.
  assertStringIncludes(screen, "do: Read the services' last lines, here below.\n");
  const limited = { ...failed, code: "REGISTRY_RATE_LIMITED" };
  const waiting = showStatus(statusOf({ ...BAD, state: { ...BAD.state, failed: limited } }), NOW);
  assertStringIncludes(waiting, 'it is tried again later; "next try" says when.');
});

Deno.test("an apply that began and a later failure of another release: no tick is at it any more", () => {
  const { failed, applying } = BAD.state;
  if (failed === null || applying === null) throw new Error("the bad box has both");
  const screen = (sha: string, at: number): string => {
    const state = { ...BAD.state, failed: { ...failed, sha, at } };
    return showStatus(statusOf({ ...BAD, state }), NOW);
  };
  const since = Date.parse(applying.since);
  assertStringIncludes(screen(A, since + 1_000), ": ended in up, and what it began stays until");
  assertStringIncludes(screen(B, since + 1_000), ": failed, and what it began stays until");
  for (const sha of [A, B]) {
    assertStringIncludes(
      screen(sha, since - 1_000),
      ": reached up; a tick is at it, or was stopped",
    );
  }
});

Deno.test("status tells how not to wait, but while repairs pause: no tick ends that", () => {
  const { failed } = BAD.state;
  if (failed === null) throw new Error("the bad box has a failed release");
  const screen = (code: string): string => {
    return showStatus(
      statusOf({ ...BAD, state: { ...BAD.state, failed: { ...failed, code } } }),
      NOW,
    );
  };
  assertStringIncludes(screen("UNHEALTHY"), "(in 4 min); at once: monky-deployd tick --now\n");
  assertStringIncludes(screen("FLAPPING"), "(in 4 min)\n");
});

Deno.test("status says what the failure itself said to do, and in old states what its code says", () => {
  const { failed } = BAD.state;
  if (failed === null) throw new Error("the bad box has a failed release");
  const state = { ...BAD.state, failed: { ...failed, hint: "Give web its port back." } };
  assertStringIncludes(showStatus(statusOf({ ...BAD, state }), NOW), "do: Give web its port back.");
  assertEquals(statusOf(BAD).failed?.hint, CATALOGUE.UNHEALTHY.hint);
});

Deno.test("status is one screen, whatever the services and their last lines are", () => {
  const containers = Array.from({ length: 200 }, (_, index) => ({
    ...WEB,
    id: String(index),
    service: `s${index}`,
  }));
  const detail = "line\n".repeat(400);
  const { failed } = BAD.state;
  const state = { ...BAD.state, failed: failed === null ? null : { ...failed, detail } };
  const lines = showStatus(
    statusOf({ ...BAD, state: { ...state, released: null }, containers }),
    NOW,
  )
    .split("\n");
  assertEquals(lines.length < 62, true, String(lines.length));
});

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

const APPLY: ApplyRecord = {
  started_at: AT,
  finished_at: "2026-11-30T11:00:12.300Z",
  result: "applied",
  sha: A,
  serial: 42,
  cause: "nothing is applied",
  code: null,
  message: null,
  token_source: "lease",
  steps: ["fetch", "refuse", "preflight", "stage", "token", "secrets", "render", "pull", "up"]
    .map((action, index) => ({ action, ms: index * 700, ok: true })),
  times: 1,
  since: AT,
};

const FAILED: ApplyRecord = {
  ...APPLY,
  result: "failed",
  sha: B,
  serial: 43,
  cause: "replaces aaaaaaaaaaaa",
  code: "UNHEALTHY",
  message: "web exited with 3",
  steps: [{ action: "up", ms: 2_000, ok: true }, { action: "health", ms: 120_400, ok: false }],
  times: 3,
  since: "2026-11-30T10:40:00.000Z",
};

Deno.test("history is the golden text, newest first", async () => {
  await assertGolden("history.txt", showHistory(historyOf([APPLY, FAILED], [])));
  assertEquals(showHistory(historyOf([], [])), "nothing was applied yet\n");
});

Deno.test("a box of an older version tells the releases that it knows", () => {
  const [only] = historyOf(null, [{ sha: A, serial: 42, at: AT }]);
  assertEquals([only?.sha, only?.result, only?.steps, only?.cause], [A, "applied", [], "not kept"]);
});

Deno.test("JSON for machines is snake_case all through", () => {
  const odd = [statusOf(BAD), historyOf([APPLY, FAILED], [])].flatMap(keysOf)
    .filter((key) => !/^[a-z][a-z0-9_]*$/.test(key));
  assertEquals(odd, []);
});
