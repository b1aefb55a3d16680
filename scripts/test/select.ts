import { listFiles } from "../check/paths.ts";
import type { LabTests } from "./run.ts";

/** Tests that need the lab live below this folder. */
const REAL = "tests/real/";

/** Tests that measure time or memory, for which another test beside them would be noise. */
const ALONE = ["memory", "run_loop", "secrets_far"];

/**
 * Tests of a minute and more, in the order they begin: begun last, one of them would run with nothing
 * beside it. `ansible` and `install` cannot run beside each other, so they stand far apart.
 */
const LONG = ["ansible", "audit", "bao_outage", "build", "doctor", "kill_matrix", "lab", "install"];

/** The test files of a run. */
export interface Selection {
  /** Those that need nothing but the code; they run side by side. */
  readonly fast: readonly string[];
  /** Those that need the lab, which they share. */
  readonly real: LabTests;
}

/**
 * Takes a project's folder, files or folders to run (all, when there are none) and whether to
 * leave out what needs the lab, and gives the test files.
 *
 * @throws {Error} When a file or folder holds no test.
 */
export async function selectTests(
  root: string,
  wanted: readonly string[],
  leaveOutReal: boolean,
): Promise<Selection> {
  const files = await listFiles(root, (path) => /^tests\/.*_test\.ts$/.test(path));
  const prefixes = wanted.map((path) => normalise(path, root));
  for (const [index, prefix] of prefixes.entries()) {
    if (!files.some((file) => isWithin(file, prefix))) {
      throw new Error(`There is no test in ${wanted[index]}: name a file or folder below tests`);
    }
  }
  const chosen = files.filter((file) =>
    prefixes.length === 0 || prefixes.some((prefix) => isWithin(file, prefix))
  );
  return {
    fast: chosen.filter((file) => !file.startsWith(REAL)),
    real: leaveOutReal ? { together: [], alone: [] } : labTests(chosen),
  };
}

/** Takes test files; gives those of the lab, the long ones first, and apart those that measure. */
export function labTests(files: readonly string[]): LabTests {
  const real = files.filter((file) => file.startsWith(REAL));
  const isIn = (names: readonly string[]) => (file: string): boolean =>
    names.some((name) => file === `${REAL}${name}_test.ts`);
  const together = real.filter((file) => !isIn(ALONE)(file));
  return {
    together: [
      ...LONG.flatMap((name) => together.filter(isIn([name]))),
      ...together.filter((file) => !isIn(LONG)(file)),
    ],
    alone: real.filter(isIn(ALONE)),
  };
}

function normalise(path: string, root: string): string {
  const relative = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return relative.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function isWithin(file: string, prefix: string): boolean {
  return file === prefix || file.startsWith(`${prefix}/`);
}
