/**
 * `deno task bench`: speed and memory as ratios against something that runs beside it. Numbers of one
 * machine on one day say little; ratios of one interleaved run say more. `--rounds N` (default 30).
 */

import { parseArgs } from "@std/cli/parse-args";
import { measureApply, showApply } from "./bench/apply.ts";
import { measureBuilt, showBuilt } from "./bench/built.ts";
import { measureConverged } from "./bench/converged.ts";
import { measureSecrets, showSecrets } from "./bench/secrets.ts";
import { down, ensureLab, sayOnStderr } from "./lab/mod.ts";

const { rounds } = parseArgs(Deno.args, { string: ["rounds"], default: { rounds: "30" } });
const { lab, started } = await ensureLab();
try {
  const figures = await measureConverged(lab, Number(rounds));
  const base = figures["empty"];
  console.log(`converged tick, ${rounds} interleaved rounds, bundled, production flags\n`);
  console.log("               median ms   least ms   × empty   peak MiB");
  for (const [name, { medianMs, leastMs, peakMib }] of Object.entries(figures)) {
    const ratio = base === undefined ? NaN : medianMs / base.medianMs;
    const cells = [
      medianMs.toFixed(1).padStart(10),
      leastMs.toFixed(1).padStart(11),
      ratio.toFixed(2).padStart(10),
      peakMib.toFixed(1).padStart(11),
    ];
    console.log(`${name.padEnd(13)}${cells.join("")}`);
  }
  const secretsRounds = Math.max(1, Math.ceil(Number(rounds) / 6));
  console.log(`\n${showSecrets(await measureSecrets(lab, secretsRounds))}`);
  const applyRounds = Math.max(3, Math.ceil(Number(rounds) / 3));
  console.log(`\n${showApply(await measureApply(lab, applyRounds))}`);
  console.log(`\n${showBuilt(await measureBuilt(lab, Number(rounds)))}`);
} finally {
  if (started) await down(sayOnStderr);
}
