import { countLines, MAX_LINES } from "../lint/rules/file_length.ts";
import { listFiles } from "./paths.ts";

const CODE = /\.(?:ts|js|mjs|cjs|sh|bash|py)$|^\.ci\//;

/**
 * Takes a project's folder and gives the files of code that are too long, one line each. The lint
 * rule of the same name sees only what the linter reads; this sees shell and Python as well.
 */
export async function checkLengths(root: string): Promise<string[]> {
  const files = await listFiles(root, (path) => CODE.test(path));
  const lengths = await Promise.all(files.map(async (file) => ({
    file,
    lines: countLines(await Deno.readTextFile(`${root}/${file}`)),
  })));
  return lengths.filter(({ lines }) => lines > MAX_LINES)
    .map(({ file, lines }) => `${file} has ${lines} lines, ${MAX_LINES} are allowed`);
}
