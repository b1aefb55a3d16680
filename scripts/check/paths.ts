/** The project's folder, without a slash at its end. */
export const PROJECT = decodeURIComponent(new URL("../..", import.meta.url).pathname)
  .replace(/\/$/, "");

/** Folders that hold no code of the project's own. */
const SKIPPED = new Set([".build", ".git", ".lab", "dist", "node_modules", "coverage"]);

/** Takes a folder's path and gives it as a `file:` URL with a slash at its end. */
export function toFileUrl(folder: string): string {
  return new URL(`file://${folder.split("/").map(encodeURIComponent).join("/")}/`).href;
}

/**
 * Takes a project's folder and a test of names, and gives the paths of the files that pass it,
 * relative to the folder and sorted.
 */
export async function listFiles(
  root: string,
  accepts: (path: string) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(`${root}/${folder}`)) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory && !SKIPPED.has(entry.name)) await visit(`${path}/`);
      else if (entry.isFile && accepts(path)) found.push(path);
    }
  };
  await visit("");
  return found.sort();
}
