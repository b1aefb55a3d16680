/**
 * `kill -9` after every named step, in the middle of the long ones, and at random instants: the next
 * tick converges, leases at most once more, loses no report, leaves no secret readable by others.
 */

import { assert, assertEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { Moment } from "../../scripts/matrix/kill_at.ts";
import { deployFirst, killApply, killRepair } from "../../scripts/matrix/killed.ts";
import { publishRelease } from "../../scripts/matrix/project.ts";
import { seeded } from "../../scripts/matrix/random.ts";
import { playRound } from "../../scripts/matrix/rounds.ts";
import { onBox } from "../support/boxes.ts";

interface Row {
  readonly name: string;
  readonly at: (box: Box) => Moment;
  /** The release before takes its time to stop. */
  readonly slow?: boolean;
}

const done = (step: string): Row => ({
  name: `after ${step}`,
  at: () => ({ line: `step done step=${step} ` }),
});
const begun = (step: string, afterMs: number): Row => ({
  name: `${afterMs} ms into ${step}`,
  at: () => ({ line: `step begins step=${step}`, afterMs }),
});

const ROWS: readonly Row[] = [
  ...["fetch", "refuse", "preflight"].map(done),
  done("stage"),
  { name: "after the lease", at: () => ({ line: "leased a token" }) },
  ...["token", "secrets"].map(done),
  ...["render", "validate", "pull"].map(done),
  begun("up", 200),
  { ...begun("up", 1_200), slow: true },
  ...["up", "health"].map(done),
  ...["commit", "prune"].map(done),
  {
    name: "the state written, the report on its way",
    at: (box) => {
      box.tenancy.faults.arm({ kind: "never_answer", call: "report" });
      return { when: asked(box, "report") };
    },
  },
  {
    name: "the report sent, its answer not seen",
    at: (box) => {
      box.tenancy.faults.arm({ kind: "slow", call: "report", ms: 3_000 });
      return { when: box.tenancy.record.waitFor((record) => record.reports.length > 0, 120_000) };
    },
  },
];

/** Each temporary file and folder of an apply, met while it is there. */
const FILES: readonly (readonly [string, RegExp])[] = [
  ["the session", /\.session\.json\..*tmp$/],
  ["the mark in the state", /\.state\.json\..*tmp$/],
  ["the staging folder", /\.staging-[^/]*$/],
  ["the release's folder", /releases\/[0-9a-f]{64}$/],
  [".env", /\.\.env\..*tmp$/],
  ["the override", /\.override\.yml\..*tmp$/],
  ["the project's folder", /project\/\.docker-compose\.yml\..*tmp$/],
  ["a mounted file", /project\/site\/\.index\.html\..*tmp$/],
  ["the release's record", /\.release\.json\..*tmp$/],
  ["current", /\.current\..*tmp$/],
];

function asked(box: Box, call: string): Promise<unknown> {
  return box.tenancy.record.waitFor(
    (record) => record.requests.some((each) => each.call === call),
    120_000,
  );
}

Deno.test("killed with -9 while a file is written, the next tick converges and sweeps it away", async (t) => {
  await onBox(async (box) => {
    await deployFirst(box);
    for (const [index, [name, file]] of FILES.entries()) {
      await t.step(name, async () => {
        box.tenancy.record.clear();
        const outcome = await killApply(box, { revision: `f${index}` }, () => ({ file }));
        assert(outcome.killed, `it was never written: ${outcome.lastLine}`);
        assertEquals(outcome.problems, []);
      });
    }
  }, { leasesPerHour: 1_000, config: { settle_s: 0 } });
});

Deno.test("killed with -9 after every step of an apply, the next tick converges", async (t) => {
  await onBox(async (box) => {
    await deployFirst(box);
    for (const [index, { name, at, slow }] of ROWS.entries()) {
      await t.step(name, async () => {
        if (slow === true) {
          await publishRelease(box, { revision: "slow", graceS: 3 });
          assertEquals((await box.tick()).code, 0);
        }
        box.tenancy.record.clear();
        const release = { revision: String(index + 1) };
        const { problems, killed, lastLine } = await killApply(box, release, at);
        assert(killed, `the agent ended before it was killed: ${lastLine}`);
        assertEquals(problems, []);
      });
    }
  }, { leasesPerHour: 1_000, config: { settle_s: 0 } });
});

Deno.test("killed with -9 while a repair writes its record, the next tick sweeps it away", async () => {
  await onBox(async (box) => {
    await deployFirst(box);
    const outcome = await killRepair(box, "0", () => ({ file: /\.release\.json\..*tmp$/ }));
    assert(outcome.killed, `it was never written: ${outcome.lastLine}`);
    assertEquals(outcome.problems, []);
  }, { leasesPerHour: 1_000, config: { settle_s: 0 } });
});

/** The long form: deno run -A scripts/matrix/kill.ts --count 200. */
const RANDOM_KILLS = 6;

Deno.test("killed with -9 at random instants of applies, repairs and removals, it converges", async (t) => {
  await onBox(async (box) => {
    await deployFirst(box);
    const random = seeded(20_261_130);
    for (let number = 1; number <= RANDOM_KILLS; number++) {
      await t.step(`kill ${number}`, async () => {
        const { name, outcome } = await playRound(box, { number, random });
        assertEquals(outcome.problems, [], `${name}, killed at: ${outcome.lastLine}`);
      });
    }
  }, { leasesPerHour: 1_000, config: { settle_s: 0 } });
});
