/** Reading values of unknown shape: what came from YAML or from compose's JSON. */

/** A map of such a value. */
export type Tree = Readonly<Record<string, unknown>>;

/** Says whether a value is a map. */
export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Gives a map's entries; none for anything else. */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isTree(value) ? Object.entries(value) : [];
}

/** Gives what a map holds under a key of its own, or undefined. */
export function childOf(value: unknown, key: string): unknown {
  return isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Gives a list as it is and anything else as a list of one; nothing for null and undefined. */
export function asList(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Says whether a value asks for nothing: absent, false, zero, or empty. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return true;
  if (value === 0) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Gives a value as a text for names and messages, whatever it is. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}
