/**
 * What one compose file would make compose read, before compose sees it (SPEC §4, §9): the files it
 * leads to, and a finding for everything that is no file of the bundle. Merge keys are looked
 * through; services of every profile and services that nobody extends count like all others.
 */

import type { FindingKind } from "../../model/finding_names.ts";
import { folderOf, type PathReading, readBundlePath } from "./bundle_path.ts";
import { type Finding, finding, MISSING } from "./finding.ts";
import { layersOf, mergedEntries, mergedValues } from "./merged.ts";
import { asList, isBlank, isTree } from "./shape.ts";

/** A compose file of the bundle and the folder that its relative paths are meant from. */
export interface ComposePlace {
  readonly path: string;
  readonly base: string;
}

/** What a file leads to. */
export interface FileReading {
  readonly findings: readonly Finding[];
  /** Compose files to be read next. */
  readonly next: readonly ComposePlace[];
  /** Other files of the bundle that compose opens; a missing optional one is among them. */
  readonly reads: readonly string[];
  /** Those of them that compose fills variables into: every `env_file` that is not `format: raw`. */
  readonly envFiles: readonly string[];
}

/** What a reading looks at. */
export interface FileFacts extends ComposePlace {
  /** Says whether the bundle has a file of that path. */
  readonly has: (path: string) => boolean;
}

/** Asked for by a key alone, whatever its value; compose would run a program or reach the Engine. */
const DENIED_SERVICE_KEYS = [
  "build",
  "credential_spec",
  "develop",
  "provider",
  "use_api_socket",
  "models",
] as const;
const DENIED_TOP_KEYS = ["models"] as const;

/** Takes a parsed compose file; gives what it leads to. */
export function readFile(document: unknown, facts: FileFacts): FileReading {
  const collected: Collected = { findings: [], next: [], reads: [], envFiles: [], facts };
  for (const key of DENIED_TOP_KEYS) {
    denyKey(collected, { key, values: mergedValues(document, key) });
  }
  for (const include of mergedValues(document, "include").flatMap(asList)) {
    readInclude(collected, include);
  }
  for (const services of mergedValues(document, "services")) {
    for (const [name, service] of mergedEntries(services)) {
      readService(collected, `services.${name}`, service);
    }
  }
  for (const kind of ["configs", "secrets"] as const) {
    for (const contents of mergedValues(document, kind)) {
      for (const [name, content] of mergedEntries(contents)) {
        for (const file of mergedValues(content, "file")) {
          readContent(collected, { kind: `${kind}.file`, key: `${kind}.${name}.file`, file });
        }
      }
    }
  }
  const { findings, next, reads, envFiles } = collected;
  return { findings, next, reads, envFiles };
}

interface Collected {
  readonly findings: Finding[];
  readonly next: ComposePlace[];
  readonly reads: string[];
  readonly envFiles: string[];
  readonly facts: FileFacts;
}

function readInclude(into: Collected, include: unknown): void {
  const base = into.facts.base;
  if (!isTree(include)) {
    return follow(into, { kind: "include", key: "include", text: include, base });
  }
  if (mergedValues(include, "env_file").some((file) => !isBlank(file))) {
    const why = "its variables would be unknown to the agent: write them into .env.template";
    add(into, finding("include.env_file", { key: "include.env_file", why }));
  }
  const folders = mergedValues(include, "project_directory");
  const paths = mergedValues(include, "path").flatMap(asList);
  if (paths.length === 0) {
    add(into, finding("include", { value: "?", key: "include", why: "names no path" }));
  }
  const named = folders.flatMap((folder) => {
    const reading = readBundlePath(folder, base);
    if ("path" in reading) return [reading.path];
    refuse(into, { kind: "include.project_directory", key: "include.project_directory", reading });
    return [];
  });
  // Of several paths the first one's folder counts for all, unless one is named.
  const inners = named.length > 0 ? named : foldersOf(paths, base);
  for (const text of paths) {
    for (const inner of inners) {
      follow(into, { kind: "include", key: "include.path", text, base, inner });
    }
  }
}

function foldersOf(paths: readonly unknown[], base: string): readonly string[] {
  const first = readBundlePath(paths[0], base);
  return ["path" in first ? folderOf(first.path) : base];
}

function readService(into: Collected, key: string, service: unknown): void {
  if (service !== null && !isTree(service)) {
    add(into, finding("service", { key, why: "is no map" }));
  }
  for (const name of DENIED_SERVICE_KEYS) {
    denyKey(into, { key: name, at: `${key}.${name}`, values: mergedValues(service, name) });
  }
  for (const kind of ["env_file", "label_file"] as const) {
    for (const file of mergedValues(service, kind).flatMap(asList)) {
      readEnvFile(into, { kind, key: `${key}.${kind}`, file });
    }
  }
  for (const extended of mergedValues(service, "extends").flatMap(layersOf)) {
    if (!Object.hasOwn(extended, "file") || extended["file"] === null) continue;
    const { base } = into.facts;
    follow(into, { kind: "extends.file", key: `${key}.extends`, text: extended["file"], base });
  }
}

interface FileKey {
  readonly kind: FindingKind;
  readonly key: string;
  readonly file: unknown;
}

function readEnvFile(into: Collected, { kind, key, file }: FileKey): void {
  const optional = isTree(file) && mergedValues(file, "required").includes(false);
  const isRaw = isTree(file) && mergedValues(file, "format").includes("raw");
  const isFilledIn = kind === "env_file" && !isRaw;
  const texts = isTree(file) ? mergedValues(file, "path") : [file];
  if (texts.length === 0) add(into, finding(kind, { value: "?", key, why: "names no path" }));
  for (const text of texts) {
    const reading = readBundlePath(text, into.facts.base);
    if (!("path" in reading)) refuse(into, { kind, key, reading });
    else if (reading.path.split("/").includes(".env")) {
      const why = "the agent writes .env, and a service names what it needs of it: " +
        "environment: [NAME] or ${NAME}";
      refuse(into, { kind, key, reading: { value: reading.path, why } });
    } else if (optional || into.facts.has(reading.path)) {
      into.reads.push(reading.path);
      if (isFilledIn && into.facts.has(reading.path)) into.envFiles.push(reading.path);
    } else refuse(into, { kind, key, reading: absent(reading.path) });
  }
}

function readContent(into: Collected, { kind, key, file }: FileKey): void {
  if (file === null) return;
  const reading = readBundlePath(file, into.facts.base);
  if (!("path" in reading)) return refuse(into, { kind, key, reading });
  if (!into.facts.has(reading.path)) {
    refuse(into, { kind: MISSING, key, reading: absent(reading.path) });
  }
}

/** A compose file: one that exists is read next, with `inner` as the folder of its paths. */
function follow(
  into: Collected,
  to: {
    readonly kind: FindingKind;
    readonly key: string;
    readonly text: unknown;
    readonly base: string;
    readonly inner?: string;
  },
): void {
  const reading = readBundlePath(to.text, to.base);
  if (!("path" in reading)) return refuse(into, { ...to, reading });
  if (!into.facts.has(reading.path)) return refuse(into, { ...to, reading: absent(reading.path) });
  into.reads.push(reading.path);
  into.next.push({ path: reading.path, base: to.inner ?? folderOf(reading.path) });
}

function absent(path: string): Exclude<PathReading, { readonly path: string }> {
  return { value: path, why: "is no file of the bundle" };
}

function refuse(
  into: Collected,
  { kind, key, reading }: {
    readonly kind: FindingKind;
    readonly key: string;
    readonly reading: Exclude<PathReading, { readonly path: string }>;
  },
): void {
  add(into, finding(kind, { value: reading.value, key, why: reading.why }));
}

function denyKey(
  into: Collected,
  { key, at, values }: {
    readonly key: FindingKind;
    readonly at?: string;
    readonly values: readonly unknown[];
  },
): void {
  if (values.some((value) => !isBlank(value))) add(into, finding(key, { key: at ?? key }));
}

function add(into: Collected, found: Finding): void {
  into.findings.push({ ...found, key: `${into.facts.path}: ${found.key}` });
}
