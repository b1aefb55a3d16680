/**
 * Judges the rendering of `.env` against docker compose itself: what compose reads in the rendered
 * file must be what it reads in the template, with the secrets in its own environment, and for every
 * variable that the agent adds, the secret.
 */

import { AgentError } from "../../src/errors.ts";
import { planEnv } from "../../src/core/render/env_plan.ts";
import { renderEnv } from "../../src/core/render/env_file.ts";
import { parseTemplate } from "../../src/core/render/template.ts";
import { Secret } from "../../src/model/secret.ts";
import { type EnvFile, type ReadOptions, readWithCompose } from "./compose_reader.ts";
import type { EnvCase } from "./templates.ts";

/** What became of a case before compose saw it. */
export type Rendering =
  | { readonly kind: "rendered"; readonly text: string; readonly added: readonly string[] }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "broken"; readonly why: string };

const CODES: readonly string[] = ["TEMPLATE_INVALID", "ENV_INCOMPLETE", "ENV_RESERVED"];

/** Renders a case as a tick would. */
export function render({ template, entries, values }: EnvCase): Rendering {
  try {
    const plan = planEnv({
      template: parseTemplate(template),
      manifest: { entries, registries: [] },
      compose: { required: new Map(), all: new Set(), places: new Map() },
    });
    if (plan.unresolved.length > 0) return { kind: "refused", code: "ENV_INCOMPLETE" };
    const secrets = new Map([...values].map(([name, value]) => [name, new Secret(value)]));
    const text = renderEnv(plan, secrets).reveal();
    const added = [...plan.variables].filter(([, parts]) => parts === null).map(([name]) => name);
    return { kind: "rendered", text, added };
  } catch (thrown) {
    if (thrown instanceof AgentError && CODES.includes(thrown.code)) {
      return { kind: "refused", code: thrown.code };
    }
    return { kind: "broken", why: String(thrown) };
  }
}

/** A rendered case on its way to compose. */
export interface Rendered {
  readonly envCase: EnvCase;
  readonly text: string;
  readonly added: readonly string[];
}

/** Takes rendered cases, gives for each what is wrong, or null. */
export async function judge(
  cases: readonly Rendered[],
  options: Pick<ReadOptions, "plugin" | "dir">,
): Promise<(string | null)[]> {
  const env = Object.fromEntries(cases.flatMap(({ envCase }) => [...envCase.values]));
  // The line ends of a template are not data (field case 09); compose keeps them inside quotes.
  const templates = cases.map(({ envCase }) => envCase.template.replaceAll("\r\n", "\n"));
  const texts = cases.map(({ text }) => text);
  try {
    const expected = await readWithCompose(templates, { ...options, env });
    const actual = await readWithCompose(texts, options);
    return cases.map((one, index) => compare(one, expected[index] ?? {}, actual[index] ?? {}));
  } catch (thrown) {
    if (cases.length === 1) return [String(thrown)];
    const half = cases.length >> 1;
    return [
      ...await judge(cases.slice(0, half), options),
      ...await judge(cases.slice(half), options),
    ];
  }
}

function compare({ envCase, added }: Rendered, expected: EnvFile, actual: EnvFile): string | null {
  const wanted = new Map(Object.entries(expected));
  for (const name of added) wanted.set(name, envCase.values.get(name) ?? "");
  for (const [name, value] of wanted) {
    const got = actual[name];
    if (got !== value) {
      return `${name}: wanted ${JSON.stringify(value)}, got ${JSON.stringify(got)}`;
    }
  }
  const extra = Object.keys(actual).filter((name) => !wanted.has(name));
  return extra.length === 0 ? null : `variables nobody asked for: ${extra.join(", ")}`;
}
