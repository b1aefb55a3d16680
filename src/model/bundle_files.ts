/**
 * Turns the `files` of a bundle reply into files: limits, path rules, encodings and modes of
 * SPEC §3. Every refusal names the file; no content is quoted.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import type { BundleFile } from "./bundle.ts";
import { listProblems, schemaProblems } from "./bundle_problems.ts";
import { comparePaths, filePathProblem, quotePath } from "./path.ts";

/** Bytes of all files together, decoded. */
export const MAX_BUNDLE_BYTES = 16 * 1024 * 1024;
/** Files in one bundle. */
export const MAX_BUNDLE_FILES = 1_000;

const WIRE_FILE = z.object({
  content: z.string(),
  encoding: z.nullish(z.string()),
  mode: z.nullish(z.string()),
});

type WireFile = z.infer<typeof WIRE_FILE>;

/**
 * Takes the reply's `files` (path → `{content, encoding?, mode?}`), gives them decoded and sorted by
 * path bytes. Throws BUNDLE_TOO_LARGE, TENANCY_PROTOCOL for a mistyped file, BUNDLE_INVALID with
 * every path, encoding or mode that breaks a rule.
 */
export function decodeFiles(files: Readonly<Record<string, unknown>>): readonly BundleFile[] {
  const paths = Object.keys(files);
  if (paths.length > MAX_BUNDLE_FILES) {
    const first = quotePath(paths[MAX_BUNDLE_FILES] ?? "");
    throw new AgentError(
      "BUNDLE_TOO_LARGE",
      `the bundle has ${paths.length} files; ${first} is the first past ${MAX_BUNDLE_FILES}`,
    );
  }
  const wire = paths.toSorted(comparePaths).map((path) => [path, wireFile(path, files)] as const);
  const problems = [
    ...pathProblems(paths),
    ...wire.flatMap(([path, file]) => modeProblem(path, file)),
  ];
  if (problems.length > 0) throw invalid(problems);
  let total = 0;
  return wire.map(([path, file]) => {
    const content = decodeContent(path, file, MAX_BUNDLE_BYTES - total);
    total += content.length;
    return { path, content, mode: file.mode === "0755" ? 0o755 : 0o644 };
  });
}

function invalid(problems: readonly string[]): AgentError {
  return new AgentError("BUNDLE_INVALID", `the bundle's files: ${listProblems(problems)}`);
}

function wireFile(path: string, files: Readonly<Record<string, unknown>>): WireFile {
  const value = files[path];
  const parsed = WIRE_FILE.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = listProblems(schemaProblems(parsed.error, value));
  throw new AgentError(
    "TENANCY_PROTOCOL",
    `the bundle reply's file ${quotePath(path)}: ${problems}`,
  );
}

function modeProblem(path: string, file: WireFile): string[] {
  const { mode, encoding } = file;
  return [
    ...(["0644", "0755"].includes(mode ?? "0644")
      ? []
      : [`${quotePath(path)} has a mode other than 0644 and 0755`]),
    ...(["utf8", "base64"].includes(encoding ?? "utf8")
      ? []
      : [`${quotePath(path)} has an encoding other than utf8 and base64`]),
  ];
}

function pathProblems(paths: readonly string[]): string[] {
  const known = new Set(paths);
  /** Composed form → the first path of that form: some file systems take both for one name. */
  const composed = new Map<string, string>();
  return paths.flatMap((path) => {
    const own = filePathProblem(path);
    if (own !== null) return [`${quotePath(path)} ${own}`];
    const folder = parents(path).find((parent) => known.has(parent));
    if (folder !== undefined) return [`${quotePath(folder)} is a file and a folder at once`];
    const form = path.normalize("NFC");
    if (composed.has(form)) return [`${quotePath(path)} is there twice after normalisation`];
    composed.set(form, path);
    return [];
  });
}

function parents(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join("/"));
}

function decodeContent(path: string, file: WireFile, roomBytes: number): Uint8Array {
  const { content } = file;
  const isBase64 = file.encoding === "base64";
  // Checked before decoding, so that a lying reply costs no second copy: base64 gives 3 bytes for
  // 4 characters, UTF-8 at least one byte for a character.
  const leastBytes = isBase64 ? Math.floor(content.length / 4) * 3 - 2 : content.length;
  if (leastBytes > roomBytes) throw tooLarge(path);
  const bytes = isBase64 ? decodeBase64(path, content) : encodeUtf8(path, content);
  if (bytes.length > roomBytes) throw tooLarge(path);
  return bytes;
}

function tooLarge(path: string): AgentError {
  const mib = MAX_BUNDLE_BYTES / 1024 / 1024;
  return new AgentError("BUNDLE_TOO_LARGE", `the bundle passes ${mib} MiB at ${quotePath(path)}`);
}

/** Strict: no blanks, padding required, no stray bits, so that one content has one spelling. */
function decodeBase64(path: string, content: string): Uint8Array {
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(content)) {
    try {
      return Uint8Array.fromBase64(content, { lastChunkHandling: "strict" });
    } catch {
      // Falls through: the engine's message says no more than ours.
    }
  }
  throw invalid([`${quotePath(path)} is not base64`]);
}

function encodeUtf8(path: string, content: string): Uint8Array {
  // A lone surrogate would silently become U+FFFD.
  if (!content.isWellFormed()) throw invalid([`${quotePath(path)} is not valid Unicode`]);
  return new TextEncoder().encode(content);
}
