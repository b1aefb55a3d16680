/**
 * Plans `.env` from names alone, so that refusals come before any secret is read (SPEC §4): which
 * variables it will hold, where each comes from, and what is missing or forbidden.
 */

import type { Manifest } from "../../model/bundle.ts";
import { COMPOSE_OWN_NAMES } from "../compose_argv.ts";
import { nearestName } from "../../config/nearest.ts";
import { withMessage } from "./evaluate.ts";
import type { ComposeReferences } from "./compose_references.ts";
import { referenceNames } from "./reference_names.ts";
import type { Part } from "./references.ts";
import { isReserved } from "./reserved.ts";
import type { Template } from "./template.ts";

/** What `.env` is planned from. */
export interface EnvSources {
  /** Null when the bundle has none. */
  readonly template: Template | null;
  readonly manifest: Manifest;
  /** What the compose files ask for: see composeReferences(). */
  readonly compose: ComposeReferences;
}

/** `.env` before its values are known. Holds no secret. */
export interface EnvPlan {
  /** Name → the parts of its value, in the order of the file. Null: the secret itself. */
  readonly variables: ReadonlyMap<string, readonly Part[] | null>;
  /** Sorted names that the template refers to. */
  readonly references: readonly string[];
  /** Sorted names that no manifest entry gives; with the message of a `:?` form in brackets. */
  readonly unresolved: readonly string[];
  /** Where the first of them are asked for, a clause each: `A in .env.template line 3`. */
  readonly asked: readonly string[];
  /**
   * Sorted names that no bundle may set, and those of compose's own environment that a compose file
   * asks for, unless they are unresolved: a service would get what the agent set for compose
   * (`PATH=/nonexistent`) in the place of the default.
   */
  readonly reserved: readonly string[];
}

/**
 * Takes the sources, gives the plan. In the file stand the template's variables (the last of two
 * equal names counts, as for compose), then every manifest variable that the template does not refer
 * to: one that the template assigns all the same has the secret's value, for it would stand last.
 * A manifest variable that a compose file refers to is in the file in any case.
 */
export function planEnv(sources: EnvSources): EnvPlan {
  const { manifest, compose } = sources;
  const assignments = sources.template?.assignments ?? [];
  const template = referenceNames(assignments.map((assignment) => assignment.parts));
  const given = new Set(manifest.entries.map((entry) => entry.var));
  const variables = new Map<string, readonly Part[] | null>();
  for (const { name, parts } of assignments) variables.set(name, parts);
  for (const name of given) {
    const isAsked = compose.all.has(name) && !variables.has(name);
    if (!template.all.has(name) || isAsked) variables.set(name, null);
  }
  const missing = new Map([
    ...[...compose.required].filter(([name]) => !given.has(name) && !variables.has(name)),
    ...[...template.required].filter(([name]) => !given.has(name)),
  ]);
  const names = [...missing.keys()].sort();
  const defined = [...new Set([...variables.keys(), ...given])];
  return {
    variables,
    asked: names.slice(0, MAX_ASKED).map((name) =>
      askedFor(name, { assignments, defined, compose })
    ),
    references: [...template.all].sort(),
    unresolved: names.map((name) => withMessage(name, missing.get(name) ?? "")),
    reserved: [
      ...new Set([
        ...[...variables.keys(), ...given].filter(isReserved),
        ...[...compose.all].filter((name) => COMPOSE_OWN_NAMES.has(name) && !missing.has(name)),
      ]),
    ].sort(),
  };
}

/** Names whose place is told; all are named. */
const MAX_ASKED = 10;
const MAX_LINES = 5;

/** Gives where a name is asked for, and the defined one that was meant, if one is near. */
function askedFor(
  name: string,
  { assignments, defined, compose }: {
    readonly assignments: Template["assignments"];
    readonly compose: ComposeReferences;
    readonly defined: readonly string[];
  },
): string {
  const lines = assignments
    .filter(({ parts }) => referenceNames([parts]).required.has(name))
    .map(({ line }) => line);
  const shown = lines.slice(0, MAX_LINES).join(", ");
  const where = lines.length === 0
    ? compose.places.get(name) ?? "what the compose files name"
    : `.env.template line${lines.length === 1 ? "" : "s"} ${shown}`;
  const near = nearestName(name, defined.filter((each) => each !== name));
  return `${name} in ${where}${near === null ? "" : ` (${near} is defined)`}`;
}
