/**
 * The text of a config file → Config, or every problem in it at once (SPEC §6). Pure: it opens no
 * file, so keys given as files stay paths until bundle_keys.ts puts their text in.
 */

import type { Config } from "../model/config.ts";
import { buildConfig } from "./build.ts";
import { checkRelations } from "./checks.ts";
import { collect } from "./collect.ts";
import { complete, showValue, type Source } from "./complete.ts";
import { configInvalid, type ConfigProblem } from "./problem.ts";
import { type ConfigValues, KEY_PATHS, type KeyPath } from "./schema.ts";
import { readYaml } from "./yaml.ts";

export type { Source } from "./complete.ts";
export type { ConfigProblem } from "./problem.ts";
export type { KeyPath } from "./schema.ts";

/** A config that holds, and what `config show` says about it. */
export interface ParsedConfig {
  readonly config: Config;
  /** Where each key's value came from. */
  readonly sources: ReadonlyMap<KeyPath, Source>;
  /** Each key's effective value as one would write it, in the table's order. */
  readonly effective: ReadonlyMap<KeyPath, string>;
}

/** What reading a config text gave: the config, or a non-empty list of problems. */
export type ConfigReading = ParsedConfig | { readonly problems: readonly ConfigProblem[] };

/** Takes any text; gives the config or all its problems. Throws nothing. */
export function readConfig(text: string): ConfigReading {
  const yaml = readYaml(text);
  if ("problem" in yaml) return { problems: [yaml.problem] };
  const { values, sources, problems: found } = complete(collect(yaml.tree));
  const problems = [...found, ...checkRelations(values)];
  if (problems.length > 0) return { problems };
  const config = buildConfig(Object.fromEntries(values) as unknown as ConfigValues);
  const effective = new Map(KEY_PATHS.map((path) => [path, showValue(path, values.get(path))]));
  return { config, sources, effective };
}

/**
 * Takes any text; gives the config.
 * Throws CONFIG_INVALID with every problem on a line of its own.
 */
export function parseConfig(text: string): ParsedConfig {
  const reading = readConfig(text);
  if ("problems" in reading) throw configInvalid(reading.problems);
  return reading;
}
