/** The release as one archive, for laptops and for systems without .deb and .rpm. */

import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "../lab/tar.ts";
import type { Installed } from "./tree.ts";

/** Fast: the runtime is nearly all of it, and gains 3 % at the best level for 5 times the time. */
const LEVEL = 6;

/**
 * Takes installed files and the moment in seconds since 1970; gives a .tar.gz that holds them below
 * `usr/`, with their folders, owned by root, in the order of their paths.
 */
export function packArchive(
  files: readonly Installed[],
  momentS: number,
): Uint8Array<ArrayBuffer> {
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)));
  const entries: readonly TarEntry[] = [
    ...[...folders].map((path) => ({ path: `${path.slice(1)}/`, mode: 0o755, mtimeS: momentS })),
    ...files.map(({ path, mode, content }) => ({
      path: path.slice(1),
      mode,
      content,
      mtimeS: momentS,
    })),
  ];
  const sorted = entries.toSorted((one, other) => one.path < other.path ? -1 : 1);
  return new Uint8Array(gzipSync(packTar(sorted), { level: LEVEL }));
}

/** `/usr/lib/x` has the folders `/usr/lib` and `/usr`. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join("/")}`);
}
