/**
 * What changed on disk between two moments, seen from outside the agent: how a test knows that a
 * converged tick writes nothing.
 */

/** Path → what identifies its content and metadata. */
export type Tree = ReadonlyMap<string, string>;

/** Takes folders; gives every entry below them with inode, size, mode and change times. */
export function readTree(folders: readonly string[]): Tree {
  const tree = new Map<string, string>();
  for (const folder of folders) visit(folder, tree);
  return tree;
}

/** Takes two trees; gives the paths that were added, removed or changed, sorted. */
export function changedPaths(before: Tree, after: Tree): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function visit(path: string, tree: Map<string, string>): void {
  let stat: Deno.FileInfo;
  try {
    stat = Deno.lstatSync(path);
  } catch {
    return;
  }
  const times = [stat.mtime, stat.ctime].map((time) => time?.getTime() ?? 0);
  tree.set(path, [stat.ino, stat.size, stat.mode, ...times].join(" "));
  if (!stat.isDirectory) return;
  for (const entry of Deno.readDirSync(path)) visit(`${path}/${entry.name}`, tree);
}
