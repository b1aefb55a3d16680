/**
 * One row of the table of config keys: its kind, what holds when it is not given, its line of
 * documentation. schema.ts is the table; this file owns only the shape of a row.
 */

import type { Kind } from "./kind.ts";

/** What holds when a key is not given. */
export type Fallback =
  | { readonly is: "required" }
  | { readonly is: "value"; readonly value: string | number | boolean | readonly string[] }
  | { readonly is: "none" }
  /** Made from other keys: `<env_id>` in the template is replaced by that key's value. */
  | { readonly is: "derived"; readonly template: string };

/** A row: how the key is read, and what is said about it. */
export interface Key<T> {
  readonly kind: Kind<T>;
  readonly fallback: Fallback;
  /** One line. */
  readonly doc: string;
  /** A value for the example file, in YAML; null: the fallback itself. */
  readonly example: string | null;
}

/** What the row says besides its kind and fallback. */
export interface Said {
  readonly doc: string;
  readonly example?: string;
}

/** A key that must be given. */
export function required<T>(kind: Kind<T>, said: Said): Key<T> {
  return row(kind, { is: "required" }, said);
}

/** A key with a fixed default, as YAML would give it. */
export function preset<T>(
  kind: Kind<T>,
  value: string | number | boolean | readonly string[],
  said: Said,
): Key<T> {
  return row(kind, { is: "value", value }, said);
}

/** A key whose default is made from other keys. */
export function derived<T>(kind: Kind<T>, template: string, said: Said): Key<T> {
  return row(kind, { is: "derived", template }, said);
}

/** A key that may be absent; its value is then null. */
export function optional<T>(kind: Kind<T>, said: Said): Key<T | null> {
  const orNull: Kind<T | null> = {
    type: kind.type,
    allowed: kind.allowed,
    read: (value) => kind.read(value),
    show: (value) => value === null ? "none" : kind.show(value),
  };
  return row(orNull, { is: "none" }, said);
}

function row<T>(kind: Kind<T>, fallback: Fallback, { doc, example }: Said): Key<T> {
  return { kind, fallback, doc, example: example ?? null };
}
