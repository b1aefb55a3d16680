/**
 * Reads `manifest.json` (SPEC §3): which variable's value lies where in OpenBao, and which of them
 * are accounts of registries. Names every problem at once; unknown keys are ignored, as in replies.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import type { Manifest, ManifestEntry, RegistryAccount } from "./bundle.ts";
import { listProblems, schemaProblems } from "./bundle_problems.ts";
import { parseJson } from "./json.ts";
import { quotePath, secretPathProblem } from "./path.ts";

/** Each entry is one request to OpenBao; the product's largest bundle has 200. */
const MAX_ENTRIES = 2_000;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_NAME_LENGTH = 255;

const MANIFEST = z.object({
  entries: z.array(z.object({
    var: z.string(),
    path: z.string(),
    key: z.nullish(z.string()),
    version: z.nullish(z.number()),
  })),
  registries: z.nullish(z.array(z.object({
    host: z.string(),
    username_var: z.string(),
    password_var: z.string(),
  }))),
});

/** The manifest of a bundle that has none. */
export const EMPTY_MANIFEST: Manifest = { entries: [], registries: [] };

/** Takes the bytes of `manifest.json`; gives the manifest. Throws MANIFEST_INVALID. */
export function parseManifest(content: Uint8Array): Manifest {
  const value = parseJson(content, { code: "MANIFEST_INVALID", what: "manifest.json" });
  const parsed = MANIFEST.safeParse(value);
  if (!parsed.success) throw invalid(schemaProblems(parsed.error, value));
  const entries = parsed.data.entries.map((entry): ManifestEntry => ({
    var: entry.var,
    path: entry.path,
    key: entry.key ?? "value",
    version: entry.version ?? null,
  }));
  const registries = (parsed.data.registries ?? []).map((registry): RegistryAccount => ({
    host: registry.host,
    usernameVar: registry.username_var,
    passwordVar: registry.password_var,
  }));
  const problems = [...entryProblems(entries), ...registryProblems(registries, entries)];
  if (problems.length > 0) throw invalid(problems);
  return { entries, registries };
}

function invalid(problems: readonly string[]): AgentError {
  return new AgentError("MANIFEST_INVALID", `manifest.json: ${listProblems(problems)}`);
}

function entryProblems(entries: readonly ManifestEntry[]): string[] {
  if (entries.length > MAX_ENTRIES) {
    return [`entries: ${entries.length} of them; the limit is ${MAX_ENTRIES}`];
  }
  const seen = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const at = `entries[${index}]`;
    const first = seen.get(entry.var);
    seen.set(entry.var, first ?? index);
    const path = secretPathProblem(entry.path);
    return [
      ...(VARIABLE.test(entry.var) && entry.var.length <= MAX_NAME_LENGTH
        ? []
        : [`${at}.var: ${quotePath(entry.var)} is no variable name`]),
      ...(first === undefined ? [] : [`${at}.var: ${entry.var} is entries[${first}].var already`]),
      ...(path === null ? [] : [`${at}.path: ${quotePath(entry.path)} ${path}`]),
      ...(isKeyName(entry.key) ? [] : [`${at}.key: is empty or holds a control character`]),
      ...(isVersion(entry.version) ? [] : [`${at}.version: must be a whole number from 1`]),
    ];
  });
}

function isKeyName(key: string): boolean {
  return key !== "" && key.isWellFormed() && !/\p{Cc}/u.test(key);
}

function isVersion(version: number | null): boolean {
  return version === null || (Number.isSafeInteger(version) && version >= 1);
}

function registryProblems(
  registries: readonly RegistryAccount[],
  entries: readonly ManifestEntry[],
): string[] {
  const variables = new Set(entries.map((entry) => entry.var));
  const hosts = new Set<string>();
  return registries.flatMap(({ host, usernameVar, passwordVar }, index) => {
    const at = `registries[${index}]`;
    const isAgain = hosts.has(host);
    hosts.add(host);
    return [
      ...(/^[^\s\p{Cc}@]{1,255}$/u.test(host) ? [] : [`${at}.host: is no registry host`]),
      ...(isAgain ? [`${at}.host: ${quotePath(host)} is named twice`] : []),
      ...(variables.has(usernameVar) ? [] : [`${at}.username_var: is no variable of entries`]),
      ...(variables.has(passwordVar) ? [] : [`${at}.password_var: is no variable of entries`]),
    ];
  });
}
