/** Reading the copied field cases, and rendering `.env` in one go as the tests need it. */

import { planEnv } from "../../../src/core/render/env_plan.ts";
import { renderEnv } from "../../../src/core/render/env_file.ts";
import type { ComposeReferences } from "../../../src/core/render/compose_references.ts";
import { parseTemplate } from "../../../src/core/render/template.ts";
import type { Manifest } from "../../../src/model/bundle.ts";
import { Secret } from "../../../src/model/secret.ts";

/** Gives a file of a field case. */
export async function caseText(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../cases/${path}`, import.meta.url));
}

/** Gives a JSON file of a field case, name → value. */
export async function caseValues(path: string): Promise<Record<string, string>> {
  return JSON.parse(await caseText(path));
}

/** Compose files that ask for nothing. */
export const NO_REFERENCES: ComposeReferences = {
  required: new Map(),
  all: new Set(),
  places: new Map(),
};

/** Gives a manifest of these variables. */
export function manifestOf(names: readonly string[]): Manifest {
  const entries = names.map((name) => ({ var: name, path: name, key: "value", version: null }));
  return { entries, registries: [] };
}

/** Takes a template (or none) and the secrets, gives the lines of `.env` below its header. */
export function rendered(
  template: string | null,
  values: Readonly<Record<string, string>>,
): string {
  const plan = planEnv({
    template: template === null ? null : parseTemplate(template),
    manifest: manifestOf(Object.keys(values)),
    compose: NO_REFERENCES,
  });
  const secrets = new Map(Object.entries(values).map(([name, value]) => [name, new Secret(value)]));
  return renderEnv(plan, secrets).reveal().split("\n").filter((line) => !line.startsWith("# "))
    .join("\n");
}
