/**
 * Which reads a manifest needs, and where each goes (SPEC §5; case 56): several keys of one version
 * are one read, and no path leaves the prefix of this box's own env.
 */

import { AgentError } from "../errors.ts";
import type { ManifestEntry } from "../model/bundle.ts";
import { type BaoConfig, encodeSegments } from "./openbao_call.ts";

/** One read: a version of one path, and the variables that come from it. */
export interface SecretRead {
  readonly path: string;
  /** Where it lies below the mount, as `bao kv` takes it: `<env_id>/<prefix>/<path>`. */
  readonly fullPath: string;
  readonly mount: string;
  /** Null: the newest. */
  readonly version: number | null;
  /** At least one, in the manifest's order. */
  readonly entries: readonly ManifestEntry[];
  /** Origin-form. */
  readonly target: string;
}

/** Takes the manifest's entries; gives the distinct reads. BAO_BAD_PATH names every bad path at once. */
export function planReads(
  entries: readonly ManifestEntry[],
  config: BaoConfig,
): readonly SecretRead[] {
  const bad = entries.filter((entry) => !isPlainPath(entry.path));
  if (bad.length > 0) {
    const named = bad.map((entry) => `${entry.var} (${showPath(entry.path)})`).sort().join(", ");
    throw new AgentError(
      "BAO_BAD_PATH",
      `these secret paths have empty, "." or ".." segments or control characters: ${named}`,
      { hint: "Correct the paths in manifest.json, and publish again." },
    );
  }
  const { kvMount, kvPrefix } = config.bao;
  const root = `/v1/${encodeSegments(kvMount)}/data/${encodeURIComponent(config.envId)}/` +
    encodeSegments(kvPrefix);
  const grouped = new Map<string, ManifestEntry[]>();
  for (const entry of entries) {
    const target = `${root}/${encodeSegments(entry.path)}` +
      (entry.version === null ? "" : `?version=${entry.version}`);
    const group = grouped.get(target);
    if (group === undefined) grouped.set(target, [entry]);
    else group.push(entry);
  }
  return [...grouped].flatMap(([target, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const fullPath = `${config.envId}/${kvPrefix}/${first.path}`;
    const { path, version } = first;
    return [{ path, fullPath, mount: kvMount, version, entries: group, target }];
  });
}

/** Takes a read; gives its variables, path and version for a message: `A, B (monky/e/see/db, version 3)`. */
export function nameRead(read: SecretRead): string {
  const variables = read.entries.map((entry) => entry.var).sort().join(", ");
  return `${variables} (${placeOf(read)})`;
}

/** Takes a read; gives its path and version for a message. */
export function placeOf(read: Pick<SecretRead, "mount" | "fullPath" | "version">): string {
  const version = read.version === null ? "newest version" : `version ${read.version}`;
  const path = `${read.mount}/${read.fullPath}`;
  return `${path.length <= 200 && PLAIN.test(path) ? path : showPath(path)}, ${version}`;
}

/**
 * Takes a read, the subcommand of `bao kv` and the words behind the path; gives the command as an
 * operator types it: `bao kv undelete -mount=monky -versions=3 env-qa-02/see/db`.
 */
export function baoCommand(
  { mount, fullPath }: Pick<SecretRead, "mount" | "fullPath">,
  { kv, flags = [], words = [] }: {
    readonly kv: string;
    readonly flags?: readonly string[];
    readonly words?: readonly string[];
  },
): string {
  const args = [`-mount=${mount}`, ...flags, fullPath, ...words];
  return ["bao", "kv", kv, ...args.map(shellWord)].join(" ");
}

/** What neither a shell nor a reader takes for something else. */
const PLAIN = /^[\w@%+=:,./-]+$/;

function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function showPath(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

function isPlainPath(path: string): boolean {
  if (!path.isWellFormed()) return false;
  // deno-lint-ignore no-control-regex
  if (/[\x00-\x1f\x7f]/.test(path)) return false;
  // A segment that a server or proxy would decode once more into "..": refused as well.
  return path.split("/").every((segment) => !/^(\.|%2e){0,2}$/i.test(segment));
}
