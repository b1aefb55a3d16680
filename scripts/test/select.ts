import { listFiles } from "../check/paths.ts";

/** Tests that need the lab live below this folder. */
const REAL = "tests/real/";

/** The test files of a run. */
export interface Selection {
  /** Those that need nothing but the code; they run side by side. */
  readonly fast: readonly string[];
  /** Those that need the lab, which they share; they run one after the other. */
  readonly real: readonly string[];
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
    real: leaveOutReal ? [] : chosen.filter((file) => file.startsWith(REAL)),
  };
}

function normalise(path: string, root: string): string {
  const relative = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return relative.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function isWithin(file: string, prefix: string): boolean {
  return file === prefix || file.startsWith(`${prefix}/`);
}
