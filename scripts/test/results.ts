/** How many tests ended how; steps are parts of their test. */
export interface Counts {
  /** Tests that ran to their end and held. */
  readonly passed: number;
  /** Tests that failed, and files that could not be run or hold no test. */
  readonly failed: number;
  /** Tests that were left out, wholly or by a step. */
  readonly skipped: number;
}

/** The counts of a run of no tests. */
export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

interface Case {
  readonly file: string;
  readonly name: string;
  readonly end: "passed" | "failed" | "skipped";
}

const CASE = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/**
 * Takes the results that `deno test --junit-path` wrote and the files it was to run, and counts.
 * A file that could not be loaded is not in the results at all: it counts as one failed test.
 */
export function countResults(junit: string, files: readonly string[]): Counts {
  const cases = [...junit.matchAll(CASE)].map(([, name = "", file = "", body = ""]): Case => ({
    name,
    file: file.replace(/^\.\//, ""),
    end: body.includes("<failure") || body.includes("<error")
      ? "failed"
      : body.includes("<skipped")
      ? "skipped"
      : "passed",
  }));
  const silent = files.filter((file) => !cases.some((one) => one.file === file)).length;
  const ends = [...Map.groupBy(cases, ({ file }) => file).values()].flatMap(endsOfTests);
  const count = (end: Case["end"]): number => ends.filter((one) => one === end).length;
  return { passed: count("passed"), failed: count("failed") + silent, skipped: count("skipped") };
}

/** Takes counts and gives their sum. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = (field: keyof Counts): number => all.reduce((total, one) => total + one[field], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** Takes counts and gives them as the line that ends every run. */
export function showCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Takes counts and gives why they are no success; nothing when they are one. */
export function objection(counts: Counts, isCi: boolean): string | undefined {
  if (counts.failed > 0) return "tests failed";
  if (counts.passed + counts.skipped === 0) return "no test ran";
  if (isCi && counts.skipped > 0) return "tests were skipped, which CI=true does not allow";
  return undefined;
}

/**
 * Deno writes a step as a case of its own, called `test > step`. A test that left a step out did
 * not do all it is there for, so it counts as skipped.
 */
function endsOfTests(cases: readonly Case[]): Case["end"][] {
  const names = new Set(cases.map(({ name }) => name));
  const parentOf = (name: string): string | undefined =>
    positions(name, " &gt; ").map((at) => name.slice(0, at)).find((start) => names.has(start));
  const tests = cases.filter(({ name }) => parentOf(name) === undefined);
  const cut = new Set(
    cases.filter(({ end }) => end === "skipped").map(({ name }) => parentOf(name)),
  );
  return tests.map(({ name, end }) => end === "passed" && cut.has(name) ? "skipped" : end);
}

function positions(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}
