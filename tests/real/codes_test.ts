/**
 * Codes of the catalogue that no other test brings about from the command line: what is wrong, the
 * code on standard error with what to do, and the exit code of its kind (SPEC §8).
 */

import { assert, assertEquals } from "@std/assert";
import type { Box } from "../../scripts/box/box.ts";
import type { LookupResult, TokenLookup } from "../../scripts/tenancy/mod.ts";
import { CATALOGUE, EXIT_BY_KIND } from "../../src/errors.ts";
import { onBox } from "../support/boxes.ts";
import { webBundle } from "../support/bundles.ts";
import { CODES_OF_APPLY, LAST_CODES_OF_APPLY } from "../support/codes_of_apply.ts";
import type { CodeScenario } from "../support/codes_by_run.ts";
import { CODES_OF_DOCKER, SLOW_CODE_OF_DOCKER } from "../support/codes_of_docker.ts";
import { CODES_OF_THE_WAY } from "../support/codes_of_the_way.ts";
import { isNextAction } from "../support/hints.ts";

/** Brings the code about, insists on it, and mends the box. */
async function bringAbout(box: Box, { code, run: act }: CodeScenario): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const run = await act(box, (each) => undo.push(each));
    const line = run.stderr.split("\n").find((each) => each.includes(`${code}: `));
    assert(line !== undefined, `exit ${run.code}, and ${code} is not told:\n${run.stderr}`);
    assertEquals(run.code, EXIT_BY_KIND[CATALOGUE[code].kind], run.stderr);
    const [, hint = ""] = / do="((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
    assert(isNextAction(hint.replaceAll('\\"', '"')), `no next action in: ${line}`);
  } finally {
    for (const act of undo.reverse()) await act();
    box.tenancy.faults.clear();
    await box.paths.tenancy.heal();
    await box.paths.bao.heal();
  }
}

/** Leaves the box as one that was just installed: a bundle to apply, a grant, no state. */
async function asInstalled(box: Box): Promise<void> {
  const lived = [box.stateDir, box.deployDir, box.configPath];
  for (const path of [...lived, `${box.dir}/identities`, `${box.dir}/mesh`]) {
    await Deno.remove(path, { recursive: true }).catch(() => {});
  }
  await box.configure({});
  await Deno.remove(box.bootstrapFile).catch(() => {});
  await box.reveal();
}

/** What tenancy once knew of a token it does not ask again: a token may die unseen. */
function unaskingLookup(lookup: TokenLookup): TokenLookup {
  const known = new Map<string, LookupResult>();
  return {
    ...lookup,
    async lookup(token, signal) {
      const result = known.get(token) ?? await lookup.lookup(token, signal);
      if (result.kind !== "unavailable") known.set(token, result);
      return result;
    },
  };
}

Deno.test("codes of the way: each by name, with its exit code and what to do", async (t) => {
  await onBox(async (box) => {
    await box.tenancy.publish(box.env, webBundle());
    for (const scenario of CODES_OF_THE_WAY) {
      await asInstalled(box);
      await t.step(`${scenario.code}: ${scenario.when}`, () => bringAbout(box, scenario));
    }
    assertEquals(await box.containers(), [], "a release was applied over a fault");
  });
});

/** Makes a box on which a release runs that only the token of its one lease can follow. */
async function onOneLease(test: (box: Box) => Promise<void>): Promise<void> {
  await onBox(
    async (box) => {
      await box.secret("key", { value: "first value" });
      await box.reveal();
      await Deno.copyFile(box.bootstrapFile, `${box.dir}/used.jwt`);
      const entries = [{ var: "KEY", path: "key", version: 1 }];
      await box.tenancy.publish(box.env, webBundle({ entries }), { serial: 2 });
      const first = await box.tick();
      assertEquals(first.code, 0, first.stderr);
      await test(box);
    },
    { leasesPerHour: 1, tenancyLookup: unaskingLookup, config: { settle_s: 0 } },
  );
}

Deno.test("codes of an apply: each by name, with its exit code and what to do", async (t) => {
  const slow = onBox(async (box) => {
    await box.reveal();
    await bringAbout(box, SLOW_CODE_OF_DOCKER);
  });
  const others = onOneLease(async (box) => {
    for (const scenario of [...CODES_OF_APPLY, ...CODES_OF_DOCKER, ...LAST_CODES_OF_APPLY]) {
      await box.configure({ settle_s: 0 });
      await t.step(`${scenario.code}: ${scenario.when}`, () => bringAbout(box, scenario));
    }
  });
  for (const end of await Promise.allSettled([slow, others])) {
    if (end.status === "rejected") throw end.reason;
  }
});
