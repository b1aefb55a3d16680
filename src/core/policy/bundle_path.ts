/**
 * Which paths in a compose file may be followed before compose sees it (SPEC §9): plain relative
 * ones that stay in the bundle. Everything else would make compose read the host or the network.
 */

/** A path that stays in the bundle, or why it is not followed. */
export type PathReading =
  | { readonly path: string }
  | { readonly value: string; readonly why: string };

/** `github.com/…` and `….git` are remote for compose without any scheme (facts: docker §4). */
const REMOTE = /^[\w.+-]*:|@|#|^github\.com\/|\.git(?:\/|$)/i;

/**
 * Takes what stands for a path and the folder of the bundle that it is meant from ("" is its root);
 * gives the path in the bundle, normalised, or what is wrong. Whether the file exists is not asked.
 */
export function readBundlePath(text: unknown, base: string): PathReading {
  if (typeof text !== "string" || text === "") return { value: "?", why: "is no path" };
  // A URL may carry a password: it is not repeated.
  if (REMOTE.test(text)) return { value: "remote", why: "only files of the bundle are read" };
  if (text.includes("$")) return { value: text, why: "must be written out, without references" };
  if (text.startsWith("/")) return { value: text, why: "lies outside the bundle" };
  if (text.startsWith("~")) return { value: text, why: "leads to a home folder" };
  if (/[\\\p{Cc}]/u.test(text)) return { value: text, why: "is no plain path" };
  const path = joinPath(base, text);
  return path === null ? { value: text, why: "leaves the bundle" } : { path };
}

/** Takes a folder of the bundle and a relative path; gives the path from the root, null outside. */
export function joinPath(base: string, relative: string): string | null {
  const parts: string[] = [];
  for (const part of `${base}/${relative}`.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

/** Takes a file's path in the bundle; gives its folder, "" for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}
