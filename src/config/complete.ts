/**
 * The values that a file gives → every key's effective value and where it came from. Owns defaults,
 * derived values and the two ways to say where tenancy is (SPEC §6: base_url, or host, port, scheme).
 */

import type { Given } from "./collect.ts";
import type { UrlTarget } from "./kind_net.ts";
import type { ConfigProblem } from "./problem.ts";
import { isKeyPath, KEY_PATHS, type KeyPath, KEYS } from "./schema.ts";

/** Where an effective value came from: written in the file, the fixed default, or made from other keys. */
export type Source = "file" | "default" | "derived";

/** Every key that could be settled. A key with a problem is missing. */
export interface Completed {
  readonly values: ReadonlyMap<KeyPath, unknown>;
  readonly sources: ReadonlyMap<KeyPath, Source>;
  readonly problems: readonly ConfigProblem[];
}

/** Takes what the file gives; gives all keys and the problems of both. */
export function complete({ values: inFile, problems: found }: Given): Completed {
  const values = new Map<KeyPath, unknown>(inFile);
  const sources = new Map<KeyPath, Source>([...inFile.keys()].map((path) => [path, "file"]));
  const problems: ConfigProblem[] = [...found];
  // A key whose own value is wrong gets no default: what derives from it would mislead.
  const broken = new Set(found.map(({ path }) => path.replace(/\[\d+\]$/, "")));

  for (const [path, value] of baseUrlParts(values.get("tenancy.base_url"))) {
    if (!values.has(path) && !broken.has(path)) {
      values.set(path, value);
      sources.set(path, "derived");
    } else if (values.has(path) && values.get(path) !== value) {
      const wrong = `says ${value}, but ${path} says ${values.get(path)}`;
      problems.push({ path: "tenancy.base_url", wrong, allowed: "the same in both, or one alone" });
    }
  }
  for (const path of KEY_PATHS) settle(path, { values, sources, problems, broken });
  return { values, sources, problems };
}

interface Settling {
  readonly values: Map<KeyPath, unknown>;
  readonly sources: Map<KeyPath, Source>;
  readonly problems: ConfigProblem[];
  /** Keys that have a problem and stay without a value. */
  readonly broken: Set<string>;
}

/** Gives the key its default, unless it has a value or a problem already. */
function settle(path: KeyPath, settling: Settling): void {
  const { values, sources, problems, broken } = settling;
  if (values.has(path) || broken.has(path)) return;
  const { fallback, kind } = KEYS[path];
  switch (fallback.is) {
    case "required":
      problems.push({ path, wrong: "is missing", allowed: kind.allowed });
      broken.add(path);
      return;
    case "none":
      values.set(path, null);
      sources.set(path, "default");
      return;
    case "value":
    case "derived": {
      const raw = fallback.is === "value" ? fallback.value : fill(fallback.template, settling);
      if (raw === null) return;
      const reading = kind.read(raw);
      if ("wrongs" in reading) {
        const wrong = `has no usable default here: ${reading.wrongs[0]?.wrong}`;
        problems.push({ path, wrong, allowed: kind.allowed });
        broken.add(path);
        return;
      }
      values.set(path, reading.value);
      sources.set(path, fallback.is === "value" ? "default" : "derived");
    }
  }
}

/** Replaces each `<key>` by that key's value; null when one of them is not settled. */
function fill(template: string, settling: Settling): string | null {
  let usable = true;
  const text = template.replaceAll(/<([a-z_.]+)>/g, (_, path: string) => {
    if (!isKeyPath(path)) return "";
    settle(path, settling);
    if (!settling.values.has(path)) usable = false;
    return showValue(path, settling.values.get(path));
  });
  return usable ? text : null;
}

/** Takes a key and its effective value; gives the value as one would write it. */
export function showValue(path: KeyPath, value: unknown): string {
  // The table pairs each kind with its own values; a map by path cannot say so in types.
  return value === undefined ? "" : (KEYS[path].kind.show as (value: unknown) => string)(value);
}

/** Without a port in the URL, tenancy.port keeps its own say. */
function baseUrlParts(value: unknown): readonly (readonly [KeyPath, string | number])[] {
  if (value === undefined) return [];
  const { scheme, host, port } = value as UrlTarget;
  const parts: (readonly [KeyPath, string | number])[] = [
    ["tenancy.scheme", scheme],
    ["tenancy.host", host],
  ];
  return port === null ? parts : [...parts, ["tenancy.port", port]];
}
