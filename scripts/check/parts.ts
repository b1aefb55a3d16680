import { checkDocstrings } from "./docstrings.ts";
import { checkImports } from "./imports.ts";
import { checkLengths } from "./lengths.ts";
import { listFiles, PROJECT } from "./paths.ts";
import { runDeno } from "./run_deno.ts";

/** One thing that is checked. */
export interface Part {
  /** Its name in the summary. */
  readonly name: string;
  /** Gives what is wrong; an empty text when nothing is. */
  run(): Promise<string>;
}

/** What a result of a part looks like. */
export interface PartResult {
  /** The part's name. */
  readonly name: string;
  /** What is wrong; empty when nothing is. */
  readonly problems: string;
  /** How long it took. */
  readonly seconds: number;
}

/** Compares the lockfile with the imports; before all else, since other commands may write it. */
export const LOCKFILE: Part = {
  name: "lockfile",
  async run(): Promise<string> {
    const files = await listFiles(
      PROJECT,
      (path) => /^(?:main\.ts|(?:src|scripts|tests)\/.*\.ts)$/.test(path),
    );
    // `cache` fetches without looking at types, which another part does.
    return await fromDeno("cache", "--quiet", "--frozen", ...files);
  },
};

/** Everything else that is checked, in the order of the summary. */
export const PARTS: readonly Part[] = [
  { name: "format", run: () => fromDeno("fmt", "--quiet", "--check") },
  { name: "lint", run: () => fromDeno("lint", "--quiet") },
  { name: "types", run: () => fromDeno("check", "--quiet", "--frozen") },
  { name: "docstrings", run: () => fromList(checkDocstrings()) },
  { name: "imports", run: () => fromList(checkImports(PROJECT)) },
  { name: "file length", run: () => fromList(checkLengths(PROJECT)) },
];

/** Takes a part, runs it, and gives its result; a part that throws has failed. */
export async function runPart(part: Part): Promise<PartResult> {
  const start = performance.now();
  const problems = await part.run().catch((error: unknown) => String(error));
  return { name: part.name, problems, seconds: (performance.now() - start) / 1000 };
}

/** Takes results and gives the summary: one line each, then the verdict. */
export function summarise(results: readonly PartResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length));
  const lines = results.map(({ name, problems, seconds }) =>
    `${problems === "" ? "ok    " : "FAILED"}  ${name.padEnd(width)}  ${seconds.toFixed(1)} s`
  );
  const failed = results.filter(({ problems }) => problems !== "").map(({ name }) => name);
  const verdict = failed.length === 0
    ? `check: all ${results.length} parts are ok`
    : `check: ${failed.length} of ${results.length} parts failed: ${failed.join(", ")}`;
  return [...lines, verdict].join("\n");
}

async function fromDeno(...args: string[]): Promise<string> {
  const { ok, stdout, stderr } = await runDeno(...args);
  return ok ? "" : `${stdout}${stderr}`.trim() || `deno ${args[0]} failed without a word`;
}

async function fromList(problems: Promise<readonly string[]>): Promise<string> {
  return (await problems).join("\n");
}
