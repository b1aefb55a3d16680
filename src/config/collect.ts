/**
 * A YAML tree → the values that the file gives, by key path, and every problem in it: unknown keys
 * at any depth, wrong types, values out of bounds. Defaults and rules between keys come later.
 */

import { nearestName } from "./nearest.ts";
import { type ConfigProblem, foundType, MAX_PRINTED, quoted } from "./problem.ts";
import { isKeyPath, KEY_PATHS, type KeyPath, KEYS, SECTIONS } from "./schema.ts";
import { isYamlMap, type YamlMap } from "./yaml.ts";

/** What a file gives. */
export interface Given {
  /** Key path → its value, read by its kind. */
  readonly values: ReadonlyMap<KeyPath, unknown>;
  readonly problems: readonly ConfigProblem[];
}

/** Takes a file's top map; gives its values and problems, in the order of the file. */
export function collect(tree: YamlMap): Given {
  const values = new Map<KeyPath, unknown>();
  const problems: ConfigProblem[] = [];
  for (const [name, value] of Object.entries(tree)) {
    if (SECTIONS.has(name)) readSection({ name, value, values, problems });
    else readEntry({ name, section: "", value, values, problems });
  }
  return { values, problems };
}

interface Entry {
  readonly name: string;
  readonly value: unknown;
  readonly values: Map<KeyPath, unknown>;
  readonly problems: ConfigProblem[];
}

/** A section whose keys are all commented out reads as null and counts as an empty map. */
function readSection({ name, value, values, problems }: Entry): void {
  if (value === null) return;
  if (!isYamlMap(value)) {
    problems.push({ path: name, wrong: foundType(value), allowed: "a map of keys" });
    return;
  }
  for (const [inner, one] of Object.entries(value)) {
    readEntry({ name: inner, section: `${name}.`, value: one, values, problems });
  }
}

function readEntry(
  { name, section, value, values, problems }: Entry & { readonly section: string },
): void {
  const path = `${section}${name}`;
  if (name.includes(".") || !isKeyPath(path)) {
    problems.push(unknownKey(path, { name, isPrinted: problems.length < MAX_PRINTED }));
    return;
  }
  if (isAbsent(path, value)) return;
  const reading = KEYS[path].kind.read(value);
  if ("value" in reading) values.set(path, reading.value);
  else {
    for (const { at, wrong, allowed } of reading.wrongs) {
      problems.push({ path: `${path}${at}`, wrong, allowed });
    }
  }
}

/** Keys that may be absent may be empty: older files spell "not set" as `""` or as nothing at all. */
function isAbsent(path: KeyPath, value: unknown): boolean {
  const { is } = KEYS[path].fallback;
  return (is === "none" || is === "derived") && (value === null || value === "");
}

/** Looking for the nearest key takes time, so it is done for those that will be printed alone. */
function unknownKey(
  path: string,
  { name, isPrinted }: { readonly name: string; readonly isPrinted: boolean },
): ConfigProblem {
  const shown = /^[A-Za-z0-9_.-]{1,64}$/.test(path) ? path : quoted(path);
  if (name === "<<") {
    return { path: shown, wrong: "merge keys are not read; repeat the keys", allowed: null };
  }
  if (isKeyPath(path)) {
    const [section, inner] = path.split(".");
    return {
      path: shown,
      wrong: `is written with a dot; write ${inner} below ${section}`,
      allowed: null,
    };
  }
  if (!isPrinted) return { path: shown, wrong: "unknown key", allowed: null };
  const nearest = nearestName(path, [...KEY_PATHS, ...SECTIONS]);
  const clue = nearest === null
    ? "docs/CONFIG.md lists them all"
    : `the nearest known one is ${nearest}`;
  return { path: shown, wrong: `unknown key; ${clue}`, allowed: null };
}
