/**
 * Standard output, for commands whose result is text. A closed or full pipe (`| head`) ends the
 * printing quietly: the command's work and its exit code do not depend on a reader.
 */

import type { Out } from "../ports.ts";
import { writeFully } from "./write_fully.ts";

/** Gives the real standard output; `print` writes the text as it is, with no newline added. */
export function createOut(): Out {
  const encoder = new TextEncoder();
  return {
    print: (text: string): void => writeFully(Deno.stdout, encoder.encode(text)),
  };
}
