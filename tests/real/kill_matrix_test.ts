/**
 * `kill -9` after every named step, in the middle of the long ones, and at random instants: the next
 * tick converges, leases at most once more, loses no report, leaves no secret readable by others.
 */

import { assert, assertEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { Moment } from "../../scripts/matrix/kill_at.ts";
import { deployFirst, killApply } from "../../scripts/matrix/killed.ts";
import { onBox } from "../support/boxes.ts";

interface Row {
  readonly name: string;
  readonly at: (box: Box) => Moment;
  readonly graceS?: number;
}

const done = (step: string): Row => ({
  name: `after ${step}`,
  at: () => ({ line: `step done step=${step} ` }),
});
const begun = (step: string, afterMs = 0): Row => ({
  name: `${afterMs} ms into ${step}`,
  at: () => ({ line: `step begins step=${step}`, afterMs }),
});

const ROWS: readonly Row[] = [
  ...["fetch", "refuse", "preflight"].map(done),
  begun("stage"),
  begun("stage", 15),
  done("stage"),
  begun("token", 10),
  { name: "after the lease", at: () => ({ line: "leased a token" }) },
  ...["token", "secrets"].map(done),
  begun("render"),
  ...["render", "validate", "pull"].map(done),
  begun("up", 200),
  { ...begun("up", 1_200), graceS: 2 },
  ...["up", "health"].map(done),
  begun("commit"),
  begun("commit", 4),
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
      return { when: box.tenancy.record.waitFor((record) => record.reports.length > 0, 30_000) };
    },
  },
  { name: "after the report", at: () => ({ line: "<6>done " }) },
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
    30_000,
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
  }, { leasesPerHour: 1_000 });
});

Deno.test("killed with -9 after every step of an apply, the next tick converges", async (t) => {
  await onBox(async (box) => {
    await deployFirst(box);
    for (const [index, { name, at, graceS }] of ROWS.entries()) {
      await t.step(name, async () => {
        box.tenancy.record.clear();
        const release = {
          revision: String(index + 1),
          ...(graceS === undefined ? {} : { graceS }),
        };
        const { problems, killed, lastLine } = await killApply(box, release, at);
        assert(killed, `the agent ended before it was killed: ${lastLine}`);
        assertEquals(problems, []);
      });
    }
  }, { leasesPerHour: 1_000 });
});
