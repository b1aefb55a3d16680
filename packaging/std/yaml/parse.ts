// @ts-types="@types/js-yaml"
import * as yaml from "js-yaml";
import { schemaOf, type SchemaType } from "./schema.ts";

/** How {@linkcode parse} reads. */
export interface ParseOptions {
  /** The schema; `default` when not given. */
  schema?: SchemaType;
  /** Whether the last of two equal keys wins instead of being an error. */
  allowDuplicateKeys?: boolean;
  /** Called for what is odd but readable. */
  onWarning?(error: Error): void;
  /** Named in messages. */
  filename?: string;
}

/**
 * Takes one YAML document and gives its value; an empty one gives `null`.
 *
 * @throws {SyntaxError} When the text is not YAML, or holds more than one document.
 */
export function parse(content: string, options: ParseOptions = {}): unknown {
  return asSyntaxError(() => yaml.load(content, loadOptions(options)) ?? null);
}

/**
 * Takes a stream of YAML documents and gives their values.
 *
 * @throws {SyntaxError} When the text is not YAML.
 */
export function parseAll(content: string, options: ParseOptions = {}): unknown[] {
  return asSyntaxError(() => yaml.loadAll(content, null, loadOptions(options)));
}

function loadOptions(options: ParseOptions): yaml.LoadOptions {
  const { schema = "default", allowDuplicateKeys = false, onWarning, filename } = options;
  return {
    schema: schemaOf(schema),
    json: allowDuplicateKeys,
    ...(filename === undefined ? {} : { filename }),
    ...(onWarning === undefined ? {} : { onWarning: (problem) => onWarning(problem) }),
  };
}

/** The real package knows no exception class of its own: callers expect a `SyntaxError`. */
function asSyntaxError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof yaml.YAMLException)) throw error;
    throw new SyntaxError(error.message);
  }
}
