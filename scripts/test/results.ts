import { type Failure, failureOf } from "./failure.ts";

/** How many tests ended how, and which failed; steps are parts of their test. */
export interface Results {
  /** Tests that ran to their end and held. */
  readonly passed: number;
  /** Tests that failed, and files that could not be run or hold no test. */
  readonly failed: number;
  /** Tests that were left out, wholly or by a step. */
  readonly skipped: number;
  /** What failed and how: of a test with failed steps, the steps. */
  readonly failures: readonly Failure[];
}

/** The results of a run of no tests. */
export const NOTHING: Results = { passed: 0, failed: 0, skipped: 0, failures: [] };

interface Case {
  readonly file: string;
  readonly name: string;
  readonly end: "passed" | "failed" | "skipped";
  readonly body: string;
}

const CASE = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/**
 * Takes the results that `deno test --junit-path` wrote and the files it was to run, and counts.
 * A file that could not be loaded is not in the results at all: it counts as one failed test.
 */
export function readResults(junit: string, files: readonly string[]): Results {
  const cases = [...junit.matchAll(CASE)].map(([, name = "", file = "", body = ""]): Case => ({
    name,
    file: file.replace(/^\.\//, ""),
    end: body.includes("<failure") || body.includes("<error")
      ? "failed"
      : body.includes("<skipped")
      ? "skipped"
      : "passed",
    body,
  }));
  const silent = files.filter((file) => !cases.some((one) => one.file === file));
  const byFile = [...Map.groupBy(cases, ({ file }) => file).values()];
  const ends = byFile.flatMap(endsOfTests);
  const count = (end: Case["end"]): number => ends.filter((one) => one === end).length;
  return {
    passed: count("passed"),
    failed: count("failed") + silent.length,
    skipped: count("skipped"),
    failures: [
      ...byFile.flatMap(failuresIn),
      ...silent.map((file) => ({ file, name: "", message: "gave no results: see its output" })),
    ],
  };
}

/** Takes results and gives their sum. */
export function addResults(all: readonly Results[]): Results {
  const sum = (field: "passed" | "failed" | "skipped"): number =>
    all.reduce((total, one) => total + one[field], 0);
  return {
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    failures: all.flatMap(({ failures }) => failures),
  };
}

/** Takes results and gives their counts as the line that ends every run. */
export function showCounts({ passed, failed, skipped }: Results): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Takes results and gives why they are no success; nothing when they are one. */
export function objection(results: Results, isCi: boolean): string | undefined {
  if (results.failed > 0) return "tests failed";
  if (results.passed + results.skipped === 0) return "no test ran";
  if (isCi && results.skipped > 0) return "tests were skipped, which CI=true does not allow";
  return undefined;
}

/**
 * Deno writes a step as a case of its own, called `test > step`. A test that left a step out did
 * not do all it is there for, so it counts as skipped.
 */
function endsOfTests(cases: readonly Case[]): Case["end"][] {
  const parentOf = parentsAmong(cases);
  const tests = cases.filter(({ name }) => parentOf(name) === undefined);
  const cut = new Set(
    cases.filter(({ end }) => end === "skipped").map(({ name }) => parentOf(name)),
  );
  return tests.map(({ name, end }) => end === "passed" && cut.has(name) ? "skipped" : end);
}

/** Of a test whose steps failed, Deno says only how many; its steps say why. */
function failuresIn(cases: readonly Case[]): Failure[] {
  const failed = cases.filter(({ end }) => end === "failed");
  return failed
    .filter(({ name }) => !failed.some((other) => other.name.startsWith(`${name} &gt; `)))
    .map(failureOf);
}

function parentsAmong(cases: readonly Case[]): (name: string) => string | undefined {
  const names = new Set(cases.map(({ name }) => name));
  return (name) =>
    positions(name, " &gt; ").map((at) => name.slice(0, at)).find((start) => names.has(start));
}

function positions(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}
