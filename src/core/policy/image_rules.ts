/** Images (SPEC §9): from policy.registries when set, by digest when policy.require_digest. */

import { type Finding, finding } from "./finding.ts";
import type { Rule } from "./rule.ts";

/** Judges an image's reference. */
export const image: Rule = (value, { key, facts }) => {
  const { registries, requireDigest } = facts.policy;
  if (typeof value !== "string" || value === "") return [];
  const { repository, hasDigest } = readImage(value);
  const found: Finding[] = [];
  const isKnown = registries.some((each) => isBelow(repository, readRegistry(each)));
  if (registries.length > 0 && !isKnown) {
    found.push(finding("image", { value: repository, key, why: "not from policy.registries" }));
  }
  if (requireDigest && !hasDigest) {
    found.push(finding("digest", { value: repository, key, why: "policy.require_digest is set" }));
  }
  return found;
};

/** What a reference names. */
export interface ImageName {
  /** With its registry, as docker completes it: `docker.io/library/nginx`. */
  readonly repository: string;
  readonly hasDigest: boolean;
}

/**
 * Takes a reference; gives what it names. The rule of docker's reference grammar: what stands before
 * the first slash is a registry when it holds a dot or a colon, or is `localhost`.
 */
export function readImage(reference: string): ImageName {
  const [name = "", digest] = reference.split("@");
  const slash = name.indexOf("/");
  const head = slash === -1 ? "" : name.slice(0, slash);
  const isRegistry = /[.:]/.test(head) || head === "localhost";
  const path = (isRegistry ? name.slice(slash + 1) : name).replace(/:[^/:]*$/, "");
  const registry = isRegistry ? head.toLowerCase() : "docker.io";
  const hub = registry === "docker.io" || registry === "index.docker.io";
  return {
    repository: hub
      ? `docker.io/${path.includes("/") ? path : `library/${path}`}`
      : `${registry}/${path}`,
    hasDigest: digest !== undefined && /^sha256:[0-9a-f]{64}$/.test(digest),
  };
}

function readRegistry(entry: string): string {
  return entry.replace(/^index\.docker\.io(?=\/|$)/, "docker.io").replace(/\/$/, "");
}

function isBelow(repository: string, registry: string): boolean {
  return repository === registry || repository.startsWith(`${registry}/`);
}
