/**
 * A bundle's files below a folder: compared and read back, and the folders for them made, without
 * following a link that a container may have planted.
 */

import type { BundleFile } from "../model/bundle.ts";
import type { Files } from "../ports.ts";

/** No file of a bundle, nor one that the agent keeps beside it, is larger. */
export const MAX_FILE_BYTES = 32 << 20;
/** Folders that a service may see through a bind mount. */
export const SHARED_DIR = 0o755;

/** Makes the folders that a file at this path below `root` needs; a link or file in the way is removed. */
export async function makeFoldersFor(
  files: Files,
  { root, path }: { readonly root: string; readonly path: string },
): Promise<void> {
  let folder = root;
  for (const segment of path.split("/").slice(0, -1)) {
    folder = `${folder}/${segment}`;
    const stat = await files.stat(folder);
    if (stat !== null && stat.kind !== "directory") await files.remove(folder);
    if (stat?.kind !== "directory") await files.makeDir(folder, SHARED_DIR);
  }
}

/** Says whether a regular file at this path has the file's content; of any mode. */
export async function hasContent(files: Files, path: string, file: BundleFile): Promise<boolean> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file" || stat.size !== file.content.length) return false;
  const content = await files.read(path, MAX_FILE_BYTES);
  return content !== null && content.every((byte, index) => byte === file.content[index]);
}

/** Gives the bundle's files below a release's folder, without what is the agent's own there. */
export async function readBundleFiles(files: Files, root: string): Promise<readonly BundleFile[]> {
  return await readFolder(files, root, "");
}

async function readFolder(
  files: Files,
  root: string,
  folder: string,
): Promise<readonly BundleFile[]> {
  const found: BundleFile[] = [];
  for (const name of await files.list(folder === "" ? root : `${root}/${folder}`)) {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (path === ".monky" || path === ".env") continue;
    const stat = await files.stat(`${root}/${path}`);
    if (stat?.kind === "directory") found.push(...await readFolder(files, root, path));
    if (stat?.kind !== "file") continue;
    const content = await files.read(`${root}/${path}`, MAX_FILE_BYTES);
    const mode = (stat.mode & 0o111) === 0 ? 0o644 : 0o755;
    if (content !== null) found.push({ path, content, mode });
  }
  return found;
}
