import { assertEquals, assertStringIncludes } from "@std/assert";
import { judgeRelease, type ReleaseFacts } from "../../../src/core/doctor/judge_release.ts";
import { emptyState } from "../../../src/model/state.ts";

const SHA = "a".repeat(64);
const NOW = Date.UTC(2026, 10, 30, 12);
const AT = "2026-11-30T11:00:00.000Z";
const WEB = {
  id: "1",
  name: "web-1",
  service: "web",
  state: "running",
  health: null,
  exitCode: null,
  image: "web:1",
  imageId: "sha256:i",
  configHash: "h",
  oneoff: false,
} as const;
const GOOD: ReleaseFacts = {
  state: {
    ...emptyState("env-qa-02", "monky-env-qa-02"),
    applied: { sha: SHA, serial: 1, at: AT },
    released: { web: { count: 1, configHashes: ["h"], imageIds: ["sha256:i"], oneShot: false } },
  },
  containers: [WEB],
  disk: { intact: true, missing: [] },
  lastTick: { desired: null, trouble: null },
  now: NOW,
};
const FAILED = {
  sha: SHA,
  code: "FLAPPING",
  attempts: 2,
  at: NOW - 60_000,
  nextAttemptAt: NOW,
  quarantined: false,
};
const TROUBLE = { code: "TENANCY_UNAVAILABLE", message: "away", hint: "wait", since: AT };

const ROWS: readonly (readonly [what: string, ReleaseFacts, state: string, detail: string])[] = [
  ["all is well", GOOD, "ok", "release aaaaaaaaaaaa runs as released"],
  ["no Engine", { ...GOOD, containers: null }, "ok", "release aaaaaaaaaaaa was applied"],
  [
    "nothing applied",
    { ...GOOD, state: emptyState("env-qa-02", "p"), containers: [] },
    "ok",
    "nothing was applied yet",
  ],
  [
    "a release that fails, before all else",
    { ...GOOD, state: { ...GOOD.state, failed: FAILED }, containers: [] },
    "warn",
    "release aaaaaaaaaaaa fails with FLAPPING, 2 times, last 2026-11-30 11:59:00Z (1 min ago)",
  ],
  [
    "a service that is stopped",
    { ...GOOD, containers: [{ ...WEB, state: "exited", exitCode: 3 }] },
    "warn",
    "not as released: web stopped",
  ],
  [
    "ticks that do not come through",
    { ...GOOD, lastTick: { desired: null, trouble: TROUBLE } },
    "warn",
    "ticks end with TENANCY_UNAVAILABLE since 2026-11-30 11:00:00Z (1 h ago)",
  ],
  [
    "a disk that cannot be read",
    { ...GOOD, disk: null },
    "ok",
    "release aaaaaaaaaaaa runs as released",
  ],
];

const LOST: readonly (readonly [what: string, disk: ReleaseFacts["disk"], detail: string])[] = [
  [
    "a file that a service may mount",
    { intact: true, missing: ["www/index.html"] },
    "the project's folder lacks www/index.html",
  ],
  [
    "more than anybody reads, and the release",
    { intact: false, missing: ["a", "b", "c", "d", "e", "f"] },
    "release aaaaaaaaaaaa was changed on disk; the project's folder lacks a, b, c, d, e, and 1 more",
  ],
];

for (const [what, disk, detail] of LOST) {
  Deno.test(`the doctor's look at the release: gone from disk: ${what}`, () => {
    const verdict = judgeRelease({ ...GOOD, disk });
    assertEquals([verdict.state, verdict.detail], ["warn", detail]);
    assertStringIncludes(
      verdict.fix ?? "",
      "label=com.docker.compose.project=monky-env-qa-02, then",
    );
  });
}

for (const [what, facts, state, detail] of ROWS) {
  Deno.test(`the doctor's look at the release: ${what}`, () => {
    const verdict = judgeRelease(facts);
    assertEquals([verdict.state, verdict.detail], [state, detail]);
    assertEquals(verdict.fix, state === "warn" ? "monky-deployd status" : null);
  });
}
