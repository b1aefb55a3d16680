import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import {
  formatMetrics,
  lastSuccessIn,
  lastTickIn,
  type MetricsFacts,
} from "../../src/core/metrics.ts";
import { emptyState } from "../../src/model/state.ts";

const SHA = "a".repeat(64);
const NOW = Date.UTC(2026, 10, 30, 12);
const AT = "2026-11-30T11:59:00.000Z";

const CONTAINER = {
  id: "1",
  name: "web-1",
  service: "web",
  state: "running",
  health: null,
  exitCode: null,
  image: "lab/bb:1",
  imageId: "sha256:i",
  configHash: "h",
  oneoff: false,
} as const;

const SERVICE = { count: 1, configHashes: ["h"], imageIds: ["sha256:i"], oneShot: false };

const FACTS: MetricsFacts = {
  envId: "env-qa-02",
  site: "cbs",
  version: "0.2.0",
  now: NOW,
  durationMs: 1234.5,
  decision: "apply",
  code: null,
  lastSuccessS: 17,
  state: {
    ...emptyState("env-qa-02", "monky-env-qa-02"),
    applied: { sha: SHA, serial: 42, at: AT },
    released: { web: SERVICE, db: SERVICE, job: { ...SERVICE, oneShot: true } },
  },
  token: {
    source: "lease",
    jti: "j",
    grantIatS: 0,
    checkedAt: NOW,
    expiresAt: NOW + 90_000,
    ttlS: 90,
  },
  containers: [CONTAINER, { ...CONTAINER, service: "db", health: "starting" }],
  lastApply: {
    started_at: AT,
    finished_at: AT,
    result: "applied",
    sha: SHA,
    serial: 42,
    cause: "nothing is applied",
    code: null,
    message: null,
    token_source: "lease",
    steps: [{ action: "pull", ms: 8100, ok: true }, { action: "up", ms: 2000, ok: true }],
    times: 1,
    since: AT,
  },
};

Deno.test("the metrics of a box are the golden file", async () => {
  const path = new URL("../golden/metrics.prom", import.meta.url);
  assertEquals(formatMetrics(FACTS), await Deno.readTextFile(path));
});

/** What `promtool check metrics` and the format's grammar ask for; throws at the first fault. */
function parse(text: string): ReadonlyMap<string, number> {
  assert(text.endsWith("\n"), "the last line must end");
  const samples = new Map<string, number>();
  let family = "";
  let expects: "HELP" | "TYPE" | "sample" = "HELP";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, word, name, rest] = /^# (HELP|TYPE) ([a-z_][a-z0-9_]*) (.+)$/.exec(line) ?? [];
    if (word === "HELP" && name !== undefined) {
      assert(expects !== "TYPE", `a HELP without TYPE before ${line}`);
      [family, expects] = [name, "TYPE"];
    } else if (word === "TYPE") {
      assert(expects === "TYPE" && name === family && rest === "gauge", line);
      expects = "sample";
    } else {
      const sample = /^([a-z_][a-z0-9_]*)(\{[\s\S]*\})? (-?[0-9.]+(?:e[+-]?\d+)?)$/.exec(line);
      assert(sample !== null && expects === "sample", `no sample: ${line}`);
      const [, own, labels = "", value] = sample;
      assertEquals(own, family);
      const label = String.raw`[a-z_][a-z0-9_]*="(?:[^"\\]|\\[\\n"])*"`;
      assert(labels === "" || new RegExp(`^\\{${label}(?:,${label})*\\}$`).test(labels), labels);
      assert(!samples.has(`${own}${labels}`), `twice: ${line}`);
      samples.set(`${own}${labels}`, Number(value));
    }
  }
  return samples;
}

Deno.test("whatever the values are, the text obeys the exposition format", () => {
  const text = fc.string({ unit: "binary", maxLength: 20 });
  const number = fc.double({ noDefaultInfinity: false });
  fc.assert(
    fc.property(text, text, text, number, fc.option(number), (site, code, step, ms, serial) => {
      const made = formatMetrics({
        ...FACTS,
        site,
        code,
        durationMs: ms,
        state: { ...FACTS.state, applied: { sha: SHA, serial, at: AT } },
        lastApply: FACTS.lastApply === null ? null : {
          ...FACTS.lastApply,
          steps: [{ action: step, ms: 1, ok: true }, { action: step, ms: 2, ok: false }],
        },
      });
      parse(made);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a tick that fails keeps the time of the last success, a good one renews it", () => {
  const good = formatMetrics(FACTS);
  assertEquals([lastSuccessIn(good), lastTickIn(good)], [NOW / 1000, NOW / 1000]);
  const bad = formatMetrics({
    ...FACTS,
    code: "BAO_SEALED",
    lastSuccessS: lastSuccessIn(good),
    now: NOW + 60_000,
  });
  assertEquals([lastSuccessIn(bad), lastTickIn(bad)], [NOW / 1000, NOW / 1000 + 60]);
  assertEquals(parse(bad).get("monky_deployd_last_tick_success"), 0);
  assertEquals([
    lastSuccessIn(""),
    lastSuccessIn("x\nmonky_deployd_last_success_timestamp_seconds ?"),
  ], [null, null]);
});

Deno.test("what is not known has no sample: a box without Engine, token, release", () => {
  const samples = parse(formatMetrics({
    ...FACTS,
    state: emptyState("env-qa-02", "p"),
    token: null,
    containers: null,
    lastApply: null,
    lastSuccessS: null,
    code: "DOCKER_UNAVAILABLE",
  }));
  const names = [...samples.keys()];
  for (const gone of ["services_up", "applied_serial", "last_success", "last_apply"]) {
    assert(!names.some((name) => name.includes(gone)), gone);
  }
  assertEquals(samples.get("monky_deployd_token_seconds_left"), 0);
});
