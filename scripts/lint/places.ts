const root = decodeURIComponent(new URL("../../", import.meta.url).pathname);

/** Folders whose job is effects, or whose code never reaches a box. */
const FREE = ["src/io/", "scripts/", "tests/", "packaging/"];

/** Takes a file's name as the linter gives it and gives it relative to the project, with `/`. */
export function placeOf(filename: string): string {
  const path = filename.replaceAll("\\", "/");
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** Takes a file's place and says whether it may have effects of its own. */
export function mayHaveEffects(place: string): boolean {
  return FREE.some((folder) => place.startsWith(folder));
}
