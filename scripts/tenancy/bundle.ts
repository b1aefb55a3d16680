// Makes a bundle's wire form out of files: encodings, modes, the sha, and the limits of protocol v1.

import { sha256Hex } from "./record.ts";
import type { BundleFile, BundleFiles } from "./types.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 1_000;
const MAX_PATH_BYTES = 1_024;
const MAX_NAME_BYTES = 255;

/** One file as the bundle call carries it. */
export interface WireFile {
  readonly content: string;
  readonly encoding?: "utf8" | "base64";
  readonly mode?: "0755";
}

/** A bundle's files as the bundle call carries them, and the sha that names them. */
export interface PackedBundle {
  readonly sha: string;
  readonly files: Readonly<Record<string, WireFile>>;
}

/** A bundle that breaks limits. `problems` has one line for each. */
export class BundleRefused extends Error {
  override readonly name = "BundleRefused";
  readonly problems: readonly string[];

  /** Takes the problems; the message lists them all. */
  constructor(problems: readonly string[]) {
    super(`this bundle cannot be published:\n${problems.map((line) => `  ${line}`).join("\n")}`);
    this.problems = problems;
  }
}

/**
 * Packs files. Throws `BundleRefused` with every limit they break, unless `unchecked` is set.
 */
export async function packBundle(files: BundleFiles, unchecked = false): Promise<PackedBundle> {
  const entries = Object.entries(files).map(([path, file]) => ({ path, ...bytesOf(file) }));
  const problems = unchecked ? [] : findProblems(entries);
  if (problems.length > 0) throw new BundleRefused(problems);
  const sorted = entries
    .map((entry) => ({ ...entry, key: new TextEncoder().encode(entry.path) }))
    .sort((a, b) => compareBytes(a.key, b.key));
  const lines = await Promise.all(
    sorted.map(async ({ path, bytes }) => `${await sha256Hex(bytes)}  ${path}\n`),
  );
  const sha = await sha256Hex(new TextEncoder().encode(lines.join("")));
  // No prototype: a hostile bundle may hold a file called `__proto__`.
  const wire: Record<string, WireFile> = Object.create(null);
  for (const { path, bytes, file } of sorted) wire[path] = wireFile(bytes, file);
  return { sha, files: wire };
}

/**
 * Reads a folder as a bundle: regular files only, executables as 0755.
 * Throws `BundleRefused` for a symlink, socket or the like, `Deno.errors.NotFound` for no folder.
 */
export async function readBundleDir(dir: string): Promise<Record<string, BundleFile>> {
  const files: Record<string, BundleFile> = Object.create(null);
  const problems: string[] = [];
  const walk = async (folder: string, prefix: string): Promise<void> => {
    for await (const { name, isFile, isDirectory, isSymlink } of Deno.readDir(folder)) {
      const path = `${prefix}${name}`;
      if (isDirectory) await walk(`${folder}/${name}`, `${path}/`);
      else if (!isFile) problems.push(`${path}: ${isSymlink ? "a symlink" : "no regular file"}`);
      else {
        const { mode } = await Deno.stat(`${folder}/${name}`);
        files[path] = {
          content: await Deno.readFile(`${folder}/${name}`),
          mode: ((mode ?? 0) & 0o100) === 0 ? "0644" : "0755",
        };
      }
    }
  };
  await walk(dir, "");
  if (problems.length > 0) throw new BundleRefused(problems);
  return files;
}

interface Entry {
  readonly path: string;
  readonly bytes: Uint8Array;
}

function findProblems(entries: readonly Entry[]): string[] {
  const problems: string[] = [];
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes.length, 0);
  if (bytes > MAX_BYTES) problems.push(`${bytes} bytes; the limit is ${MAX_BYTES}`);
  if (entries.length > MAX_FILES) {
    problems.push(`${entries.length} files; the limit is ${MAX_FILES}`);
  }
  const paths = new Set(entries.map((entry) => entry.path));
  if (!paths.has("docker-compose.yml")) problems.push("docker-compose.yml: missing");
  for (const path of paths) {
    const problem = pathProblem(path) ?? shadowed(path, paths);
    if (problem !== null) problems.push(`${JSON.stringify(path)}: ${problem}`);
  }
  return problems;
}

function pathProblem(path: string): string | null {
  const segments = path.split("/");
  if (path === "") return "an empty path";
  if (path.startsWith("/")) return "an absolute path";
  if (segments.includes("..")) return "leaves the bundle";
  if (segments.includes("") || segments.includes(".")) return "not normalised";
  // sha256sum escapes a backslash and a line end in a name, so its output would be another listing.
  // deno-lint-ignore no-control-regex
  if (/[\0-\x1f\x7f\\]/.test(path)) return "holds a control character or a backslash";
  if (segments[0] === ".monky") return "the agent's own name";
  if (segments.includes(".env")) return "the agent writes .env itself";
  if (byteLength(path) > MAX_PATH_BYTES) return `longer than ${MAX_PATH_BYTES} bytes`;
  const isLong = segments.some((name) => byteLength(name) > MAX_NAME_BYTES);
  return isLong ? `has a name longer than ${MAX_NAME_BYTES} bytes` : null;
}

function shadowed(path: string, paths: ReadonlySet<string>): string | null {
  const segments = path.split("/");
  for (let depth = 1; depth < segments.length; depth++) {
    const parent = segments.slice(0, depth).join("/");
    if (paths.has(parent)) return `${parent} is a file as well`;
  }
  return null;
}

function bytesOf(file: string | Uint8Array | BundleFile): { bytes: Uint8Array; file: BundleFile } {
  const full = typeof file === "string" || file instanceof Uint8Array ? { content: file } : file;
  const { content } = full;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { bytes, file: full };
}

function wireFile(bytes: Uint8Array, file: BundleFile): WireFile {
  const text = file.encoding === "base64" ? null : utf8Text(bytes, file.encoding === "utf8");
  const mode = file.mode === "0755" ? { mode: file.mode } : {};
  if (text === null) return { content: bytes.toBase64(), encoding: "base64", ...mode };
  return { content: text, ...(file.encoding === "utf8" ? { encoding: "utf8" } : {}), ...mode };
}

/**
 * The text of valid UTF-8, a byte order mark kept; null for other bytes, and, unless `always`, for
 * text that JSON makes longer than base64 does: 16 MiB of it would not fit into a reply.
 */
function utf8Text(bytes: Uint8Array, always: boolean): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const isWasteful = byteLength(JSON.stringify(text)) > Math.ceil(bytes.length / 3) * 4 + 2;
    return isWasteful && !always ? null : text;
  } catch {
    return null;
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
