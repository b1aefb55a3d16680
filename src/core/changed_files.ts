/**
 * Which services must be recreated because of what they mount (SPEC §4): compose notices neither a
 * changed file behind a bind, config or secret, nor a new value that it copied into a container
 * (facts: docker §3). A label over their contents makes it notice. It holds hashes of files and
 * versions of secrets, never anything made from a value: labels can be read by `docker inspect`.
 */

import type { SecretVersion } from "../model/bundle.ts";
import type { ComposeModel, ComposeService, ContentSource } from "../model/compose_model.ts";

/** The label's name. */
export const FILES_LABEL = "dev.monky.files";

/** What `.env` says of a variable, without a value of a secret. */
export interface VariableSource {
  /** The template's own text for it; empty when only the manifest names it. */
  readonly text: string;
  /** The secrets that the text is filled in with, and the versions they were read at. */
  readonly secrets: readonly SecretVersion[];
}

/** What the labels are made from. */
export interface MountFacts {
  readonly model: ComposeModel;
  /** Absolute; bundle files lie below it. */
  readonly projectDir: string;
  /** Path in the bundle → SHA-256 of the content and mode. */
  readonly files: ReadonlyMap<string, string>;
  /** Variable of `.env` → where it comes from. */
  readonly variables: ReadonlyMap<string, VariableSource>;
  /** Key of a config with inline content → the text as the bundle has it, before interpolation. */
  readonly contents: ReadonlyMap<string, string>;
}

/**
 * Takes the facts; gives each service that mounts something of the bundle, and a listing of what it
 * depends on: the caller hashes the listing for the label. Services that mount nothing are left out.
 */
export function listMountedContent(facts: MountFacts): ReadonlyMap<string, string> {
  return new Map(
    facts.model.services.flatMap((service): readonly (readonly [string, string])[] => {
      const lines = linesOf(service, facts);
      return lines.length === 0 ? [] : [[service.name, `${lines.join("\n")}\n`]];
    }),
  );
}

/**
 * Takes service → hash of its listing; gives the override file for `-f`, or null when no service
 * needs a label. The same hashes give the same bytes.
 */
export function renderLabelOverride(hashes: ReadonlyMap<string, string>): string | null {
  if (hashes.size === 0) return null;
  const services = [...hashes].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, hash]) => [name, { labels: { [FILES_LABEL]: hash } }] as const);
  // JSON is YAML, and needs no quoting rules.
  return `${JSON.stringify({ services: Object.fromEntries(services) }, null, 2)}\n`;
}

function linesOf(service: ComposeService, facts: MountFacts): readonly string[] {
  const { configs, secrets } = facts.model;
  const binds = service.mounts.filter((mount) => mount.type === "bind")
    .flatMap((mount) => fileLines(mount.source ?? "", facts));
  const given = [
    ...configs.filter((each) => service.configs.includes(each.key)),
    ...secrets.filter((each) => service.secrets.includes(each.key)),
  ].flatMap((each) => sourceLines(each.key, each.source, facts));
  return [...new Set([...binds, ...given])].sort();
}

function sourceLines(key: string, source: ContentSource, facts: MountFacts): readonly string[] {
  switch (source.kind) {
    case "file":
      return fileLines(source.path, facts);
    case "environment":
      return variableLines(source.variable, facts);
    case "content":
      return contentLines(key, facts);
    case "external":
      return [];
  }
}

/** A bound folder stands for every bundle file below it. */
function fileLines(source: string, { projectDir, files }: MountFacts): readonly string[] {
  const root = `${projectDir}/`;
  const path = source.replace(/\/+$/, "");
  const isWhole = path === projectDir;
  if (!isWhole && !path.startsWith(root)) return [];
  const inside = isWhole ? "" : path.slice(root.length);
  return [...files]
    .filter(([file]) => isWhole || file === inside || file.startsWith(`${inside}/`))
    .map(([file, sha]) => `file ${JSON.stringify(file)} ${sha}`);
}

function variableLines(variable: string, { variables }: MountFacts): readonly string[] {
  const source = variables.get(variable);
  if (source === undefined) return [`variable ${variable} unset`];
  const versions = source.secrets.map((each) => `secret ${each.var} ${each.version}`);
  return [`variable ${variable} ${JSON.stringify(source.text)}`, ...versions];
}

/**
 * Inline content. Where the bundle's own text is not known, every file and every variable counts: a
 * service recreated once too often beats one that keeps an old secret.
 */
function contentLines(key: string, facts: MountFacts): readonly string[] {
  const names = [...facts.variables.keys()];
  const text = facts.contents.get(key);
  if (text === undefined) {
    const everything = names.flatMap((name) => variableLines(name, facts));
    return [...fileLines(facts.projectDir, facts), ...everything];
  }
  return [
    `content ${JSON.stringify(key)} ${JSON.stringify(text)}`,
    ...names.filter((name) => mentions(text, name)).flatMap((name) => variableLines(name, facts)),
  ];
}

/** Nested defaults make references hard to find exactly; the name behind a `$` or `${` is enough. */
function mentions(text: string, name: string): boolean {
  return new RegExp(`\\$\\{?${name.replace(/[^A-Za-z0-9_]/g, "\\$&")}(?![A-Za-z0-9_])`).test(text);
}
