/**
 * The long kill matrix: `deno run -A scripts/matrix/kill.ts --count 200 [--seed 1]`. Kills ticks at
 * random instants on a box of its own and says after each what does not hold. Needs the lab.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { makeBox } from "../box/box.ts";
import { readLab } from "../lab/mod.ts";
import { deployFirst } from "./killed.ts";
import { seeded } from "./random.ts";
import { playRound } from "./rounds.ts";

async function main(): Promise<number> {
  const args = parseArgs(Deno.args, { string: ["count", "seed"] });
  const count = Number(args.count ?? "200");
  const seed = Number(args.seed ?? "1");
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  await using box = await makeBox(lab, { leasesPerHour: 100_000, config: { settle_s: 0 } });
  await deployFirst(box);
  const random = seeded(seed);
  let bad = 0;
  let early = 0;
  for (let number = 1; number <= count; number++) {
    const { name, outcome } = await playRound(box, { number, random });
    early += outcome.killed ? 0 : 1;
    if (outcome.problems.length === 0) continue;
    bad += 1;
    console.log(`round ${number} (${name}), killed at: ${outcome.lastLine}`);
    for (const problem of outcome.problems) console.log(`  ${problem.replaceAll("\n", "\n    ")}`);
  }
  console.log(
    `${count} kills, seed ${seed}: ${count - bad} converged, ${bad} did not; ` +
      `${early} ticks had ended before the kill`,
  );
  return bad === 0 ? 0 : 1;
}

Deno.exitCode = await main();
