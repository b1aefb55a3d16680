/**
 * From a bundle's text files to what is known of it before any effect: the compose files that it
 * reaches, the plan of its `.env`. Parsing in order, judging nothing.
 */

import { MAIN_FILE, type Reached, reachFiles } from "../core/policy/reach.ts";
import { composeReferences } from "../core/render/compose_references.ts";
import { envFileReferences } from "../core/render/env_file_references.ts";
import { type EnvPlan, planEnv } from "../core/render/env_plan.ts";
import { parseTemplate } from "../core/render/template.ts";
import { AgentError } from "../errors.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseComposeFile } from "../model/compose_file.ts";

/** A compose file of a bundle, parsed. */
export type ComposeDocuments = readonly { readonly path: string; readonly document: unknown }[];

/** What a bundle's compose files lead to, as far as it asks for variables. */
export interface Asking {
  readonly documents: ComposeDocuments;
  /** The texts of the `env_file`s. */
  readonly envFiles: readonly string[];
}

/**
 * Takes a bundle; gives what its `.env` will hold, without a value. `asking`: what counts, the main
 * compose file alone when not given. Throws TEMPLATE_INVALID, COMPOSE_FILE_INVALID.
 */
export function planBundleEnv(
  bundle: Pick<Bundle, "template" | "manifest" | "compose">,
  asking: Asking = {
    documents: [{ path: MAIN_FILE, document: parseComposeFile(bundle.compose, MAIN_FILE) }],
    envFiles: [],
  },
): EnvPlan {
  const files = composeReferences(asking.documents);
  const envFiles = envFileReferences(asking.envFiles);
  return planEnv({
    template: bundle.template === null ? null : parseTemplate(bundle.template),
    manifest: bundle.manifest,
    compose: {
      required: new Map([...envFiles.required, ...files.required]),
      all: new Set([...envFiles.all, ...files.all]),
      places: files.places,
    },
  });
}

/** Takes a bundle and what it reaches; gives what of it asks for variables. */
export function askingOf(bundle: Pick<Bundle, "files">, reached: Reached): Asking {
  const texts = bundle.files.filter(({ path }) => reached.envFiles.includes(path))
    .map(({ content }) => new TextDecoder().decode(content));
  return { documents: reached.documents, envFiles: texts };
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
