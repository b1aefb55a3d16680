/**
 * The rules for paths that others name: files of a bundle (SPEC §3) and secrets below the
 * environment's prefix (SPEC §5). Text in, problem out; nothing here touches a disk.
 */

/** Bytes of a file's path: leaves room below PATH_MAX (4,096) for the folder it is put in. */
const MAX_PATH_BYTES = 1_024;
/** Bytes of one name: NAME_MAX of Linux file systems. */
const MAX_NAME_BYTES = 255;

const encoder = new TextEncoder();

/** Takes a path or name, gives it in quotes for a message: escaped, at most 120 characters. */
export function quotePath(path: string): string {
  return JSON.stringify(path.length > 120 ? `${path.slice(0, 119)}…` : path);
}

/**
 * Takes a bundle file's path; gives what is wrong with it, or null. A control character or a
 * backslash is refused because `sha256sum` escapes some of them, so that the listing could not be
 * recomputed with coreutils (SPEC §3).
 */
export function filePathProblem(path: string): string | null {
  const shape = shapeProblem(path);
  if (shape !== null) return shape;
  if (path.includes("\\")) return "holds a backslash";
  const segments = path.split("/");
  if (segments[0] === ".monky") return "lies in the agent's own folder .monky";
  // compose reads a `.env` of any folder that an included file lies in (facts: docker §10).
  if (segments.includes(".env")) return "is called .env, which only the agent writes";
  if (encoder.encode(path).length > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  const long = segments.some((name) => encoder.encode(name).length > MAX_NAME_BYTES);
  return long ? `has a name longer than ${MAX_NAME_BYTES} bytes` : null;
}

/**
 * Takes a secret's path as the manifest names it; gives what is wrong with it, or null. Only what
 * could leave the environment's prefix or name another thing than it shows is refused; the client
 * encodes each segment (field case 56).
 */
export function secretPathProblem(path: string): string | null {
  const shape = shapeProblem(path);
  if (shape !== null) return shape;
  if (/[\\?#%]/.test(path)) return "holds one of \\ ? # %";
  if (path.split("/").some((name) => name.trim() !== name)) return "has blanks around a segment";
  return encoder.encode(path).length > MAX_PATH_BYTES
    ? `is longer than ${MAX_PATH_BYTES} bytes`
    : null;
}

/** Takes two paths; gives their order by UTF-8 bytes, which is not the order of UTF-16 units. */
export function comparePaths(left: string, right: string): number {
  const a = encoder.encode(left);
  const b = encoder.encode(right);
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** What no path may be: empty, absolute, not normalised, leaving its root, not plain text. */
function shapeProblem(path: string): string | null {
  if (path === "") return "is empty";
  if (!path.isWellFormed()) return "is not valid Unicode";
  if (/\p{Cc}/u.test(path)) return "holds a control character";
  if (path.startsWith("/")) return "is absolute";
  const segments = path.split("/");
  if (segments.includes("..")) return 'holds ".."';
  if (segments.includes(".") || segments.includes("")) return "is not normalised";
  return null;
}
