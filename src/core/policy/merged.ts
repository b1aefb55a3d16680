/**
 * Looking into a YAML map through its merge keys (`<<`). Which of several values wins is left open:
 * every candidate is given, so that whatever compose chooses has been looked at.
 */

import { asList, isTree, type Tree } from "./shape.ts";

const MERGE = "<<";

/** Takes a map; gives it and every map that is merged into it, however deep; nothing for others. */
export function layersOf(value: unknown): readonly Tree[] {
  const layers: Tree[] = [];
  const rest: unknown[] = [value];
  const seen = new Set<unknown>();
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (!isTree(next) || seen.has(next)) continue;
    seen.add(next);
    layers.push(next);
    if (Object.hasOwn(next, MERGE)) rest.push(...asList(next[MERGE]));
  }
  return layers;
}

/** Takes a map; gives every entry of it and of what is merged into it, but no merge key. */
export function mergedEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return layersOf(value).flatMap((layer) => Object.entries(layer))
    .filter(([key]) => key !== MERGE);
}

/** Takes a map and a key; gives every value that the key may have. */
export function mergedValues(value: unknown, key: string): readonly unknown[] {
  return layersOf(value).filter((layer) => Object.hasOwn(layer, key)).map((layer) => layer[key]);
}
