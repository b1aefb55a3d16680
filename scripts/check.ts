/**
 * `deno task check`: everything about the code that can be told without running it.
 *
 * @module
 */
import { LOCKFILE, PARTS, runPart, summarise } from "./check/parts.ts";

/** Runs every part, prints what is wrong and a summary, and gives the exit code. */
async function main(): Promise<number> {
  const lockfile = await runPart(LOCKFILE);
  const results = [...await Promise.all(PARTS.map(runPart)), lockfile];
  for (const { name, problems } of results) {
    if (problems !== "") console.log(`── ${name} ──\n${problems}\n`);
  }
  console.log(summarise(results));
  return results.every(({ problems }) => problems === "") ? 0 : 1;
}

Deno.exitCode = await main();
