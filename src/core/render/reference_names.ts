/**
 * Which variables a text asks for: those it cannot do without, and all of them. Names only.
 */

import type { Part } from "./references.ts";

/** Variables that texts refer to. */
export interface ReferenceNames {
  /**
   * Names without which a value would come out blank or refused, each with the message of its `:?`
   * form ("" when there is none). A reference inside an operand counts: whether it is needed depends
   * on a value that is not known before secrets are read.
   */
  readonly required: ReadonlyMap<string, string>;
  /** Every name, those with a default included. */
  readonly all: ReadonlySet<string>;
}

/** Takes the parts of any number of texts, gives the names in them. */
export function referenceNames(texts: Iterable<readonly Part[]>): ReferenceNames {
  const required = new Map<string, string>();
  const all = new Set<string>();
  const visit = (parts: readonly Part[]): void => {
    for (const part of parts) {
      if (part.kind === "literal") continue;
      all.add(part.name);
      const { form } = part;
      const isRequired = form === "plain" || form === ":?" || form === "?";
      if (isRequired) required.set(part.name, required.get(part.name) || part.message);
      visit(part.operand);
    }
  };
  for (const parts of texts) visit(parts);
  return { required, all };
}
