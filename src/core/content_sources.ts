/**
 * Where the contents of a bundle's variables and inline configs come from, without a value of a
 * secret: what core/changed_files.ts hashes for the labels (SPEC §4).
 */

import type { SecretVersion } from "../model/bundle.ts";
import type { VariableSource } from "./changed_files.ts";
import type { EnvPlan } from "./render/env_plan.ts";
import { referenceNames } from "./render/reference_names.ts";

/** Takes the plan of `.env` and the versions that were read; gives each variable's source. */
export function variableSources(
  env: EnvPlan,
  secrets: readonly SecretVersion[],
): ReadonlyMap<string, VariableSource> {
  const versions = new Map(secrets.map((each) => [each.var, each]));
  return new Map(
    [...env.variables].map(([name, parts]) => {
      const names = parts === null ? [name] : [...referenceNames([parts]).all].sort();
      const used = names.flatMap((each) => versions.get(each) ?? []);
      return [name, { text: parts === null ? "" : JSON.stringify(parts), secrets: used }];
    }),
  );
}

/** Takes a parsed compose file; gives the inline text of its configs, before interpolation. */
export function inlineContents(
  document: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, string> {
  const configs = document["configs"];
  if (typeof configs !== "object" || configs === null) return new Map();
  return new Map(
    Object.entries(configs).flatMap(([key, config]) => {
      const content = typeof config === "object" && config !== null && "content" in config
        ? config.content
        : null;
      return typeof content === "string" ? [[key, content] as const] : [];
    }),
  );
}
