/**
 * Finds the variables that compose files ask for (SPEC §4, field case 15): compose itself only warns
 * and starts with blanks. Looks at parsed YAML, so that comments do not count; compose fills in
 * every text value, `x-` ones and inactive profiles included, and no key.
 */

import { AgentError } from "../../errors.ts";
import { listProblems } from "../../model/bundle_problems.ts";
import { headOf } from "../../model/plain_text.ts";
import { type ReferenceNames, referenceNames } from "./reference_names.ts";
import { type Part, scanReferences } from "./references.ts";

/** compose defines it by itself, from `-p`. */
const DEFINED_BY_COMPOSE = "COMPOSE_PROJECT_NAME";

/** compose refuses deeper files by itself; the walk must not be what breaks. */
const MAX_DEPTH = 200;

/** Keys are as long as the file likes; a place is for a person. */
const MAX_PLACE_CHARS = 200;

/** A compose file of the bundle, parsed. */
export interface ComposeDocument {
  /** Names the file in errors. */
  readonly path: string;
  readonly document: unknown;
}

/** What compose files refer to, and where. */
export interface ComposeReferences extends ReferenceNames {
  /** Required name → the first place that asks for it: `docker-compose.yml: services.web.image`. */
  readonly places: ReadonlyMap<string, string>;
}

/**
 * Takes the parsed compose files, gives the variables they ask for. A bare `NAME` under
 * `environment` is in `all` only: compose leaves it unset when nothing defines it. The variable of a
 * config or secret that a service is given is required: without it `up` fails when it has stopped the
 * old container (measured on 2.26.1). Throws COMPOSE_FILE_INVALID with every reference that compose
 * would refuse.
 */
export function composeReferences(documents: readonly ComposeDocument[]): ComposeReferences {
  const texts: (readonly Part[])[] = [];
  const places = new Map<string, string>();
  const problems: string[] = [];
  for (const { path, document } of documents) {
    const collect = (text: string, keys: readonly string[]): void => {
      const { parts, problems: forms } = scanReferences(text);
      texts.push(parts);
      const place = headOf(`${path}: ${keys.join(".")}`, MAX_PLACE_CHARS);
      for (const name of referenceNames([parts]).required.keys()) {
        if (!places.has(name)) places.set(name, place);
      }
      // What compose takes is left to compose here: these values are its own to fill in.
      const refused = forms.filter((form) => !form.misread);
      problems.push(...refused.map((form) => `${path}: ${keys.join(".")}: ${form.text}`));
    };
    walk(document, { keys: [], seen: new Set(), collect });
  }
  if (problems.length > 0) throw new AgentError("COMPOSE_FILE_INVALID", listProblems(problems));
  const { required, all } = referenceNames(texts);
  const passed = documents.flatMap(({ document }) => passedNames(document));
  const contents = contentNames(documents.map(({ document }) => document));
  const needed = new Map([...contents.map((name) => [name, ""] as const), ...required]);
  return {
    required: new Map([...needed].filter(([name]) => name !== DEFINED_BY_COMPOSE)),
    all: new Set([...all, ...passed, ...contents].filter((name) => name !== DEFINED_BY_COMPOSE)),
    places,
  };
}

interface Walk {
  readonly keys: readonly string[];
  /** An alias gives the same object again: looked at once, an alias bomb costs nothing. */
  readonly seen: Set<object>;
  readonly collect: (text: string, keys: readonly string[]) => void;
}

function walk(value: unknown, at: Walk): void {
  if (typeof value === "string") return at.collect(value, at.keys);
  if (typeof value !== "object" || value === null || at.seen.has(value)) return;
  at.seen.add(value);
  if (at.keys.length === MAX_DEPTH) {
    throw new AgentError("COMPOSE_FILE_INVALID", `the compose file nests past ${MAX_DEPTH} levels`);
  }
  for (const [key, inner] of Object.entries(value)) walk(inner, { ...at, keys: [...at.keys, key] });
}

/** `environment: [NAME]` and `environment: {NAME: null}` of services: compose passes NAME on. */
function passedNames(document: unknown): string[] {
  return valuesOf(childOf(document, "services")).flatMap((service) => {
    const environment = childOf(service, "environment");
    if (Array.isArray(environment)) {
      return environment.filter((item) => typeof item === "string" && /^\w+$/.test(item));
    }
    return entriesOf(environment).filter(([, value]) => value === null).map(([name]) => name);
  });
}

/** Variables that are the content, `{environment: NAME}`, of `configs` and `secrets` of services. */
function contentNames(documents: readonly unknown[]): string[] {
  return ["configs", "secrets"].flatMap((kind) => {
    const given = new Set(
      documents.flatMap((document) => valuesOf(childOf(document, "services")))
        .flatMap((service) => valuesOf(childOf(service, kind)))
        .map((each) => childOf(each, "source") ?? each),
    );
    return documents.flatMap((document) => entriesOf(childOf(document, kind)))
      .filter(([key]) => given.has(key))
      .map(([, content]) => childOf(content, "environment"))
      .filter((name) => typeof name === "string").filter((name) => /^\w+$/.test(name));
  });
}

function childOf(value: unknown, key: string): unknown {
  return entriesOf(value).find(([name]) => name === key)?.[1];
}

function valuesOf(value: unknown): unknown[] {
  return entriesOf(value).map(([, inner]) => inner);
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
