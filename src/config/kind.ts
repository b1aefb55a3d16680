/**
 * Kinds of config values: how one is read from what YAML gave, what is allowed, how it is shown.
 * This file owns the idea and the plain kinds; kind_path.ts, kind_net.ts and kind_pem.ts add others.
 * A kind never sees other keys: rules between keys stand in checks.ts.
 */

import { foundType, quoted } from "./problem.ts";

/** One thing that is wrong with a value; `at` is the place inside it (`[2]`), mostly empty. */
export interface Wrong {
  readonly at: string;
  readonly wrong: string;
  readonly allowed: string;
}

/** What reading a value gave. */
export type Reading<T> = { readonly value: T } | { readonly wrongs: readonly Wrong[] };

/** A kind of value. */
export interface Kind<T> {
  /** One or two words for tables: `path`, `1–65535`. */
  readonly type: string;
  /** What is allowed, for messages: `a whole number from 1 to 65535`. */
  readonly allowed: string;
  /** Reads what YAML gave. */
  read(value: unknown): Reading<T>;
  /** Gives a value as one would write it. */
  show(value: T): string;
}

/** How a text is read: its value, or what is wrong with it. */
export type TextReading<T> = { readonly value: T } | { readonly wrong: string };

/** Takes how a text is read; gives the kind, which refuses everything that is no text. */
export function textKind<T>(kind: {
  readonly type: string;
  readonly allowed: string;
  readonly read: (text: string) => TextReading<T>;
  readonly show: (value: T) => string;
}): Kind<T> {
  const refuse = (wrong: string): Reading<T> => ({
    wrongs: [{ at: "", wrong, allowed: kind.allowed }],
  });
  return {
    type: kind.type,
    allowed: kind.allowed,
    read: (value) => {
      if (typeof value !== "string") return refuse(foundType(value));
      if (value === "") return refuse("is empty");
      if (!value.isWellFormed()) return refuse("is no valid Unicode");
      const reading = kind.read(value);
      return "wrong" in reading ? refuse(reading.wrong) : reading;
    },
    show: kind.show,
  };
}

/** Takes a pattern for the whole text and words for it; gives a kind of plain text. */
export function textMatching(pattern: RegExp, type: string, allowed: string): Kind<string> {
  return textKind({
    type,
    allowed,
    read: (text) =>
      pattern.test(text) ? { value: text } : { wrong: `${quoted(text)} does not fit` },
    show: (value) => value,
  });
}

/** Takes the allowed words; gives a kind of exactly those. */
export function oneOf<const W extends string>(...words: readonly W[]): Kind<W> {
  return textKind<W>({
    type: words.join(", "),
    allowed: words.join(", "),
    read: (text) => {
      const value = words.find((word) => word === text);
      return value === undefined ? { wrong: `${quoted(text)} is unknown` } : { value };
    },
    show: (value) => value,
  });
}

/** Takes inclusive bounds; gives a kind of whole numbers. */
export function integer(min: number, max: number): Kind<number> {
  return numberKind({ min, max, whole: true });
}

/** Takes inclusive bounds; gives a kind of numbers, whole or not. */
export function decimal(min: number, max: number): Kind<number> {
  return numberKind({ min, max, whole: false });
}

function numberKind(
  { min, max, whole }: { readonly min: number; readonly max: number; readonly whole: boolean },
): Kind<number> {
  const allowed = `a ${whole ? "whole number" : "number"} from ${min} to ${max}`;
  const refuse = (wrong: string): Reading<number> => ({ wrongs: [{ at: "", wrong, allowed }] });
  return {
    type: `${min}–${max}`,
    allowed,
    read: (value) => {
      if (typeof value !== "number") return refuse(foundType(value));
      if (whole && !Number.isInteger(value)) return refuse(`${value} is not whole`);
      if (!(value >= min && value <= max)) return refuse(`${value} is out of range`);
      return { value };
    },
    show: (value) => String(value),
  };
}

/** True or false, as YAML 1.2 spells them: `yes` and `on` are text. */
export const flag: Kind<boolean> = {
  type: "true, false",
  allowed: "true or false",
  read: (value) => {
    if (typeof value === "boolean") return { value };
    return { wrongs: [{ at: "", wrong: foundType(value), allowed: "true or false" }] };
  },
  show: (value) => String(value),
};

/** Takes the kind of the items and their largest number; gives a kind of lists. */
export function listOf<T>(item: Kind<T>, maxItems: number): Kind<readonly T[]> {
  const allowed = `a list of at most ${maxItems} items, each ${item.allowed}`;
  return {
    type: `list of ${item.type}`,
    allowed,
    read: (value) => {
      if (!Array.isArray(value)) return { wrongs: [{ at: "", wrong: foundType(value), allowed }] };
      if (value.length > maxItems) {
        return { wrongs: [{ at: "", wrong: `has ${value.length} items`, allowed }] };
      }
      const items: T[] = [];
      const wrongs: Wrong[] = [];
      for (const [index, one] of value.entries()) {
        const reading = item.read(one);
        if ("value" in reading) items.push(reading.value);
        else wrongs.push(...reading.wrongs.map((w) => ({ ...w, at: `[${index}]${w.at}` })));
      }
      return wrongs.length > 0 ? { wrongs } : { value: items };
    },
    show: (items) => `[${items.map((one) => item.show(one)).join(", ")}]`,
  };
}
