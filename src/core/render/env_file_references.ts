/**
 * Finds the variables that a bundle's `env_file`s ask for: compose fills them in from `.env`, and
 * where that has none it warns and starts the service with a blank, or with what is left of a
 * password behind its `$` (field cases 1 and 15; measured on 2.26.1).
 */

import { AgentError } from "../../errors.ts";
import { type ReferenceNames, referenceNames } from "./reference_names.ts";
import { type Assignment, parseTemplate } from "./template.ts";

/**
 * Takes the texts of the files; gives the variables that they ask `.env` for: a file sees what stands
 * above, and in files before it. One that cannot be read as compose would is left to compose.
 */
export function envFileReferences(texts: readonly string[]): ReferenceNames {
  const assignments = texts.flatMap(assignmentsOf);
  const defined = new Set(assignments.map((each) => each.name));
  const { required, all } = referenceNames(assignments.map((each) => each.parts));
  return { required: new Map([...required].filter(([name]) => !defined.has(name))), all };
}

function assignmentsOf(text: string): readonly Assignment[] {
  try {
    return parseTemplate(text).assignments;
  } catch (thrown) {
    if (thrown instanceof AgentError) return [];
    throw thrown;
  }
}
