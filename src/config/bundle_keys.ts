/**
 * `tenancy.bundle_keys` that are file paths → the keys in those files. The caller reads the files;
 * this file decides which ones, and whether what they hold will do.
 */

import type { Config } from "../model/config.ts";
import { readPublicKeys } from "./kind_pem.ts";
import { configInvalid, type ConfigProblem } from "./problem.ts";

/** Takes a parsed config; gives the paths of its key files. None once `withBundleKeys` was applied. */
export function bundleKeyFiles(config: Config): readonly string[] {
  return config.tenancy.bundleKeys.filter((key) => key.startsWith("/"));
}

/**
 * Takes a parsed config and the text of each of its key files (null: there is no such file); gives the
 * config with PEM texts alone, one key each.
 * Throws CONFIG_INVALID when a file is missing or holds anything but P-256 public keys.
 */
export function withBundleKeys(
  config: Config,
  texts: ReadonlyMap<string, string | null>,
): Config {
  const problems: ConfigProblem[] = [];
  const keys = config.tenancy.bundleKeys.flatMap((key, index) => {
    if (!key.startsWith("/")) return [key];
    const text = texts.get(key) ?? null;
    const reading = text === null ? { wrong: "does not exist" } : readPublicKeys(text);
    if ("value" in reading) return reading.value;
    const wrong = `the file ${key} ${reading.wrong}`;
    problems.push({ path: `tenancy.bundle_keys[${index}]`, wrong, allowed: null });
    return [];
  });
  if (problems.length > 0) throw configInvalid(problems);
  return { ...config, tenancy: { ...config.tenancy, bundleKeys: keys } };
}
