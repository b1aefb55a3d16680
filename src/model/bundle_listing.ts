/**
 * The listing whose SHA-256 names a bundle (SPEC §3): what `sha256sum` prints for its files, sorted
 * by path bytes, so that an operator can recompute it with coreutils.
 */

import type { BundleFile } from "./bundle.ts";
import { comparePaths } from "./path.ts";

/** Gives the SHA-256 of the bytes in lower-case hex (the port Digest's one function). */
export type Sha256 = (bytes: Uint8Array) => Promise<string>;

/**
 * Takes files, gives one line `<sha256>  <path>\n` for each, sorted. Paths must have passed
 * `filePathProblem`: sha256sum escapes some names that it refuses.
 */
export async function bundleListing(
  files: readonly Pick<BundleFile, "path" | "content">[],
  sha256: Sha256,
): Promise<string> {
  const sorted = files.toSorted((a, b) => comparePaths(a.path, b.path));
  const lines = await Promise.all(
    sorted.map(async ({ path, content }) => `${await sha256(content)}  ${path}\n`),
  );
  return lines.join("");
}
