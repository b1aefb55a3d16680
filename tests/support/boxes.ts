/** Boxes for tests on the lab: made, used, and closed, whatever happens in between. */

import { type Box, type BoxOptions, makeBox } from "../../scripts/box/box.ts";
import { readLab } from "../../scripts/lab/mod.ts";
import { webBundle } from "./bundles.ts";

/** Makes a box on the lab, gives it to the test, closes it. Throws when the lab is not up. */
export async function onBox(
  test: (box: Box) => Promise<void>,
  options: BoxOptions = {},
): Promise<void> {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  const box = await makeBox(lab, options);
  try {
    await test(box);
  } finally {
    await box.close();
  }
}

/** Makes a box on which one release with one secret runs already. */
export async function onRunningBox(
  test: (box: Box) => Promise<void>,
  options: BoxOptions = {},
): Promise<void> {
  await onBox(async (box) => {
    await box.secret("key", { value: "first value" });
    await box.reveal();
    await box.tenancy.publish(box.env, runningBundle("1"));
    const first = await box.tick();
    if (first.code !== 0) throw new Error(`the first deploy failed:\n${first.stderr}`);
    box.tenancy.record.clear();
    await test(box);
  }, options);
}

/** Gives the bundle that onRunningBox applied, in another revision. */
export function runningBundle(revision: string): ReturnType<typeof webBundle> {
  return webBundle({ revision, entries: [{ var: "KEY", path: "key", version: 1 }] });
}
