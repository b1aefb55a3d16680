// @ts-types="@types/js-yaml"
import * as yaml from "js-yaml";
import { schemaOf, type SchemaType } from "./schema.ts";

/** How {@linkcode stringify} writes. */
export interface StringifyOptions {
  /** Spaces per level; 2 when not given. */
  indent?: number;
  /** Whether lists are indented below their key; true when not given. */
  arrayIndent?: boolean;
  /** Leave out what YAML cannot hold (functions, `undefined`) instead of failing. */
  skipInvalid?: boolean;
  /** The depth at which flow style begins; -1, never, when not given. */
  flowLevel?: number;
  /** The schema; `default` when not given. */
  schema?: SchemaType;
  /** Whether keys are sorted, or how. */
  sortKeys?: boolean | ((a: string, b: string) => number);
  /** The width long strings are folded at; 80 when not given, -1 for never. */
  lineWidth?: number;
  /** Whether a value met twice becomes an anchor; true when not given. */
  useAnchors?: boolean;
  /** Whether to quote what YAML 1.1 read differently (`yes`, `off`); true when not given. */
  compatMode?: boolean;
  /** Whether flow style is written without spaces. */
  condenseFlow?: boolean;
}

/**
 * Takes a value and gives it as one YAML document.
 *
 * @throws {TypeError} When it holds what YAML cannot (without `skipInvalid`).
 */
export function stringify(data: unknown, options: StringifyOptions = {}): string {
  try {
    return yaml.dump(data, {
      indent: options.indent ?? 2,
      noArrayIndent: options.arrayIndent === false,
      skipInvalid: options.skipInvalid ?? false,
      flowLevel: options.flowLevel ?? -1,
      schema: schemaOf(options.schema ?? "default"),
      sortKeys: options.sortKeys ?? false,
      lineWidth: options.lineWidth ?? 80,
      noRefs: options.useAnchors === false,
      noCompatMode: options.compatMode === false,
      condenseFlow: options.condenseFlow ?? false,
    });
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    throw new TypeError(error.message);
  }
}
