/**
 * What differs between the release that is applied and the one that is desired, as `plan` tells it:
 * images, services, files, the names of variables and the versions of secrets. Pure; no value of a
 * secret ever comes here, and no file's content goes out.
 */

import type { BundleFile, ManifestEntry, SecretVersion } from "../model/bundle.ts";
import type { ComposeTree } from "../model/compose_file.ts";

/** One release, the part that is compared. */
export interface ReleaseFacts {
  readonly files: readonly BundleFile[];
  /** `docker-compose.yml`, parsed; null when it cannot be. */
  readonly document: ComposeTree | null;
  /** Names of the variables of `.env`. */
  readonly variables: readonly string[];
  /** Versions by variable; `newest` when nothing pins one. */
  readonly secrets: ReadonlyMap<string, number | "newest">;
}

/** Names that are in one release alone, or in both and differ; each sorted. */
export interface NameDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** The differences; `from` null: it is new, `to` null: it goes. */
export interface ReleaseDiff {
  readonly images: readonly Change<string>[];
  readonly services: NameDiff;
  readonly files: NameDiff;
  readonly variables: NameDiff;
  readonly secrets: readonly Change<number | "newest">[];
}

/** One thing that differs. */
export interface Change<T> {
  /** The service or the variable. */
  readonly name: string;
  readonly from: T | null;
  readonly to: T | null;
}

/** Takes the applied release (null: none that is known) and the desired one; gives what differs. */
export function diffReleases(before: ReleaseFacts | null, after: ReleaseFacts): ReleaseDiff {
  const [old, next] = [before?.document ?? null, after.document];
  return {
    images: changesOf(imagesOf(old), imagesOf(next)),
    services: diffNames(servicesIn(old), servicesIn(next)),
    files: diffNames(filesOf(before?.files ?? []), filesOf(after.files)),
    variables: diffNames(namesOf(before?.variables ?? []), namesOf(after.variables)),
    secrets: changesOf(before?.secrets ?? new Map(), after.secrets),
  };
}

/** Takes a manifest's entries; gives the version that each variable is read at. */
export function pinnedVersions(
  entries: readonly ManifestEntry[],
): ReadonlyMap<string, number | "newest"> {
  return new Map(entries.map((entry) => [entry.var, entry.version ?? "newest"]));
}

/** Takes the versions that were read; gives them by variable. */
export function readVersions(
  secrets: readonly SecretVersion[],
): ReadonlyMap<string, number | "newest"> {
  return new Map(secrets.map((secret) => [secret.var, secret.version]));
}

/** Takes a compose file; gives each service's image as it is written, references not filled in. */
export function imagesOf(document: ComposeTree | null): ReadonlyMap<string, string> {
  const images = new Map<string, string>();
  for (const [name, service] of servicesOf(document)) {
    const image = isMap(service) ? service["image"] : undefined;
    if (typeof image === "string") images.set(name, image);
  }
  return images;
}

function servicesOf(document: ComposeTree | null): readonly [string, unknown][] {
  const services = document?.["services"];
  return isMap(services) ? Object.entries(services) : [];
}

/** What stands beside the services (networks, volumes) counts for each of them that names it; no more is read here. */
function servicesIn(document: ComposeTree | null): ReadonlyMap<string, string> {
  return new Map(servicesOf(document).map(([name, service]) => [name, sortedJson(service)]));
}

function filesOf(files: readonly BundleFile[]): ReadonlyMap<string, string> {
  return new Map(files.map(({ path, mode, content }) => [path, `${mode} ${textOf(content)}`]));
}

/** One character a byte: equal exactly when the bytes are. */
function textOf(content: Uint8Array): string {
  return new TextDecoder("latin1").decode(content);
}

function namesOf(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [name, ""]));
}

function diffNames(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): NameDiff {
  const names = [...after.keys()].sort();
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)).sort(),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
  };
}

function changesOf<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): readonly Change<T>[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const [from = null, to = null] = [before.get(name), after.get(name)];
    return from === to ? [] : [{ name, from, to }];
  });
}

/** The order of keys in YAML means nothing. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, each) => {
    if (!isMap(each)) return each;
    return Object.fromEntries(
      Object.entries(each).sort(([left], [right]) => left < right ? -1 : 1),
    );
  });
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
