/**
 * Fuzzes templates and secrets against docker compose: every case is refused with a code, or compose
 * reads back what it should. `deno task fuzz [--count N] [--seed N] [--plugin PATH]`; ends with 1
 * when one is wrong, and says how to play it again.
 */

import { parseArgs } from "@std/cli/parse-args";
import { judge, render, type Rendered } from "./fuzz/judge.ts";
import { chance } from "./fuzz/random.ts";
import { makeEnvCase } from "./fuzz/templates.ts";
import { findCompose } from "./lab/compose.ts";
import { labDir } from "./lab/info.ts";

/** Files that one compose call reads: more cost it memory, fewer cost more starts. */
const BATCH = 400;

/** Wrong cases shown before the run is given up. */
const MAX_SHOWN = 20;

interface Tally {
  cases: number;
  rendered: number;
  readonly refused: Map<string, number>;
  wrong: number;
}

function show(seed: number, why: string, template: string): void {
  console.log(`wrong: --seed ${seed} --count 1: ${why}\n  template: ${JSON.stringify(template)}`);
}

async function fuzzBatch(
  seeds: readonly number[],
  options: { readonly plugin: string; readonly dir: string; readonly tally: Tally },
): Promise<void> {
  const { tally } = options;
  const rendered: (Rendered & { readonly seed: number })[] = [];
  for (const seed of seeds) {
    const envCase = makeEnvCase(chance(seed), `M${seed}_`);
    const rendering = render(envCase);
    tally.cases++;
    if (rendering.kind === "rendered") rendered.push({ ...rendering, envCase, seed });
    if (rendering.kind === "refused") {
      tally.refused.set(rendering.code, (tally.refused.get(rendering.code) ?? 0) + 1);
    }
    if (rendering.kind === "broken") {
      tally.wrong++;
      show(seed, rendering.why, envCase.template);
    }
  }
  tally.rendered += rendered.length;
  for (const [index, why] of (await judge(rendered, options)).entries()) {
    const one = rendered[index];
    if (why === null || one === undefined) continue;
    tally.wrong++;
    show(one.seed, why, one.envCase.template);
  }
}

function summary(tally: Tally): string {
  const codes = [...tally.refused].map(([code, count]) => `${count} ${code}`).join(", ");
  return `${tally.cases} cases: ${tally.rendered} rendered, ${codes || "0"} refused, ` +
    `${tally.wrong} wrong`;
}

async function main(): Promise<number> {
  const args = parseArgs(Deno.args, { string: ["count", "seed", "plugin"] });
  const count = Number(args.count ?? 20_000);
  const firstSeed = Number(args.seed ?? 1);
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(firstSeed)) {
    console.error("usage: deno task fuzz [--count N] [--seed N] [--plugin PATH]");
    return 64;
  }
  const plugin = args.plugin ?? (await findCompose(`${labDir()}/cache`, console.error)).plugin;
  const dir = await Deno.makeTempDir({ prefix: "monky-fuzz-" });
  const tally: Tally = { cases: 0, rendered: 0, refused: new Map(), wrong: 0 };
  let shownAt = performance.now();
  try {
    while (tally.cases < count && tally.wrong < MAX_SHOWN) {
      const length = Math.min(BATCH, count - tally.cases);
      const from = firstSeed + tally.cases;
      await fuzzBatch(Array.from({ length }, (_, index) => from + index), { plugin, dir, tally });
      if (performance.now() - shownAt < 5_000) continue;
      shownAt = performance.now();
      console.log(summary(tally));
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
  console.log(summary(tally));
  return tally.wrong === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exitCode = await main();
