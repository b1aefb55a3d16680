/**
 * From a bundle's text files to what is known of it before any effect: the compose files that it
 * reaches, the plan of its `.env`. Parsing in order, judging nothing.
 */

import { MAIN_FILE, type Reached, reachFiles } from "../core/policy/reach.ts";
import { composeReferences } from "../core/render/compose_references.ts";
import { type EnvPlan, planEnv } from "../core/render/env_plan.ts";
import { parseTemplate } from "../core/render/template.ts";
import { AgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseComposeFile } from "../model/compose_file.ts";

/** A compose file of a bundle, parsed. */
export type ComposeDocuments = readonly { readonly path: string; readonly document: unknown }[];

/**
 * Takes a bundle; gives what its `.env` will hold, without a value. `documents`: the compose files
 * whose references count, the main one when not given. Throws TEMPLATE_INVALID, COMPOSE_FILE_INVALID.
 */
export function planBundleEnv(
  bundle: Pick<Bundle, "template" | "manifest" | "compose">,
  documents: ComposeDocuments = [
    { path: MAIN_FILE, document: parseComposeFile(bundle.compose, MAIN_FILE) },
  ],
): EnvPlan {
  return planEnv({
    template: bundle.template === null ? null : parseTemplate(bundle.template),
    manifest: bundle.manifest,
    compose: composeReferences(documents),
  });
}

/** Takes a bundle; gives every file that compose would open. Throws COMPOSE_FILE_INVALID. */
export function reachBundle(bundle: Pick<Bundle, "files">): Reached {
  const files = new Map(bundle.files.map(({ path, content }) => [path, content]));
  return reachFiles({
    has: (path) => files.has(path),
    text: (path) => {
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(files.get(path));
      } catch {
        throw new AgentError("COMPOSE_FILE_INVALID", `${path} is not UTF-8`);
      }
    },
  });
}
