/**
 * How the resolved model is judged (SPEC §9): a table says which keys are known and which rule each
 * one's value is held against; a key that no table has is denied by its name. This file owns the
 * ways to build such tables, and knows no key.
 */

import type { FindingKind } from "../../model/finding_names.ts";
import { type Finding, finding } from "./finding.ts";
import type { ModelFacts } from "./model_facts.ts";
import { isBlank, isTree, textOf } from "./shape.ts";

/** Where a value stands. */
export interface Place {
  /** With names and indexes, for people: `services.web.volumes[0].bind`. */
  readonly key: string;
  /** Without them, for names of findings: `volumes.bind`. */
  readonly rule: string;
  readonly facts: ModelFacts;
}

/** Judges one value of the resolved model. */
export type Rule = (value: unknown, at: Place) => readonly Finding[];

/** Takes what is known of a map's keys; gives the rule for the map. `x-` keys mean nothing. */
export function keys(table: Readonly<Record<string, Rule>>): Rule {
  return (value, at) => {
    if (value === null || value === undefined) return [];
    if (!isTree(value)) return misshapen(at);
    return Object.entries(value).flatMap(([key, inner]) => {
      if (key.startsWith("x-")) return [];
      const place = below(at, { key: `.${key}`, rule: key });
      const rule = Object.hasOwn(table, key) ? table[key] : undefined;
      return rule === undefined ? unknownKey(place) : rule(inner, place);
    });
  };
}

/** Gives the rule for a map of names, e.g. of services. */
export function named(rule: Rule): Rule {
  return (value, at) => {
    if (value === null || value === undefined) return [];
    if (!isTree(value)) return misshapen(at);
    return Object.entries(value).flatMap(([name, inner]) =>
      rule(inner, below(at, { key: `.${name}`, rule: "" }))
    );
  };
}

/** Gives the rule for a list. */
export function each(rule: Rule): Rule {
  return (value, at) => {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) return misshapen(at);
    return value.flatMap((inner, index) => rule(inner, below(at, { key: `[${index}]`, rule: "" })));
  };
}

/** The rule for what stays inside the container, whatever its value. */
export const anything: Rule = () => [];

/** Gives the rule that allows a value that asks for nothing, and denies all others by one name. */
export function never(kind: FindingKind): Rule {
  return (value, { key }) => isBlank(value) ? [] : [finding(kind, { key })];
}

/** Gives the rule for a text: what the test does not let through is denied as `kind:text`. */
export function only(kind: FindingKind, isAllowed: (text: string) => boolean): Rule {
  return (value, { key }) => {
    if (value === null || value === undefined || value === "") return [];
    const text = textOf(value);
    return typeof value === "string" && isAllowed(text)
      ? []
      : [finding(kind, { value: text, key })];
  };
}

/** Takes the place of a value; gives the finding for a key that the policy does not know. */
export function unknownKey(at: Place): readonly Finding[] {
  return [finding("key", { value: at.rule, key: at.key, why: "unknown to this policy" })];
}

function misshapen(at: Place): readonly Finding[] {
  return [
    finding("key", { value: at.rule, key: at.key, why: "has a shape unknown to this policy" }),
  ];
}

function below(at: Place, step: { readonly key: string; readonly rule: string }): Place {
  const rule = [at.rule, step.rule].filter((part) => part !== "").join(".");
  return { ...at, key: `${at.key}${step.key}`, rule };
}
