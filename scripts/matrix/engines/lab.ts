/**
 * A lab of its own on the newer pair, beside whatever else runs: in `engines/` of the usual lab's
 * folder, with the usual lab's downloads.
 */

import { down, labDir, type LabInfo, readLab, sayOnStderr, up } from "../../lab/mod.ts";
import { withLock } from "../../lab/lock.ts";
import { askPair } from "./answered.ts";
import { fetchNewer } from "./fetch.ts";

/**
 * Takes what to run with the environment in which tests find the lab, and gives what that gives.
 * Says on stdout which versions answered. Runs take turns.
 *
 * @throws Error when the newer pair cannot be had, the lab does not come up or down, or another
 *   Engine answers after the run than before it
 */
export async function withNewerLab<T>(
  use: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const [usual, own] = [labDir(), `${labDir()}/engines`];
  await Deno.mkdir(own, { recursive: true, mode: 0o700 });
  await Deno.mkdir(`${usual}/cache`, { recursive: true, mode: 0o700 });
  return await withLock(own, async () => {
    const dir = `${own}/lab`;
    // A run that was killed leaves its lab behind.
    await removeLab(dir);
    try {
      // Under the usual lab's lock, since both write into its cache.
      const lab = await withLock(usual, () => startNewer(usual, dir));
      const before = await askPair(lab);
      console.log(`engines: on ${before}`);
      const result = await use({ MONKY_LAB_DIR: dir });
      await insistOnSame(lab, before);
      return result;
    } finally {
      await removeLab(dir);
    }
  });
}

async function startNewer(usual: string, dir: string): Promise<LabInfo> {
  const programs = await fetchNewer(`${usual}/cache`, sayOnStderr);
  await Deno.mkdir(dir, { mode: 0o700 });
  await Deno.symlink(`${usual}/cache`, `${dir}/cache`);
  return (await up(sayOnStderr, dir, programs)).lab;
}

/** A test that finds no healthy lab starts one anew, and that one is not the newer pair. */
async function insistOnSame(lab: LabInfo, before: string): Promise<void> {
  const now = await readLab(lab.dir);
  if (now?.startedAt !== lab.startedAt) throw new Error("the lab was started anew during the run");
  const after = await askPair(now);
  if (after !== before) throw new Error(`the tests began on ${before} and ended on ${after}`);
}

async function removeLab(dir: string): Promise<void> {
  await down(sayOnStderr, { dir, purge: true });
}
