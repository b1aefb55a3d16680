/** From a bundle's text files to the plan of its `.env`: parsing in order, judging nothing. */

import { composeReferences } from "../core/render/compose_references.ts";
import { type EnvPlan, planEnv } from "../core/render/env_plan.ts";
import { parseTemplate } from "../core/render/template.ts";
import type { Bundle } from "../model/bundle.ts";
import { parseComposeFile } from "../model/compose_file.ts";

/**
 * Takes a bundle; gives what its `.env` will hold, without a value. Throws TEMPLATE_INVALID,
 * COMPOSE_FILE_INVALID.
 */
export function planBundleEnv(bundle: Pick<Bundle, "template" | "manifest" | "compose">): EnvPlan {
  const path = "docker-compose.yml";
  return planEnv({
    template: bundle.template === null ? null : parseTemplate(bundle.template),
    manifest: bundle.manifest,
    compose: composeReferences([{ path, document: parseComposeFile(bundle.compose, path) }]),
  });
}
