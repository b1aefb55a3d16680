/** Where a bind's source lies, by its name alone (SPEC §9). Links are followed by the engine. */

import type { ModelFacts } from "./model_facts.ts";

/** Where a path lies. `look`: the path that tells whether it is there. */
export type BindPlace =
  | { readonly kind: "bundle"; readonly path: string; readonly look: string }
  /** The agent's own: releases, their `.env`. */
  | { readonly kind: "agent" }
  /** In deploy_dir, yet no part of the bundle. */
  | { readonly kind: "stray" }
  | { readonly kind: "allowed"; readonly look: string }
  | { readonly kind: "outside" };

/** What the place of a path depends on. */
export type PlaceFacts = Pick<ModelFacts, "policy" | "deployDir" | "bundleDirs">;

/** Takes a path as compose resolved it; gives its place. */
export function placeOf(source: string, facts: PlaceFacts): BindPlace {
  const path = normalise(source);
  if (path === null) return { kind: "outside" };
  const { deployDir, bundleDirs, policy } = facts;
  const root = bundleDirs.find((folder) => isWithin(path, folder));
  if (root !== undefined) {
    const inner = path.slice(root.length + 1);
    const isOwn = inner.split("/").includes(".env") || isWithin(inner, ".monky");
    if (isOwn) return { kind: "stray" };
    const look = inner === "" ? bundleDirs[0] : `${bundleDirs[0]}/${inner}`;
    return { kind: "bundle", path: inner, look };
  }
  if (isWithin(path, deployDir)) {
    const inner = path.slice(deployDir.length + 1).split("/")[0] ?? "";
    return { kind: ["", "releases", "current"].includes(inner) ? "agent" : "stray" };
  }
  if (policy.bindAllow.some((folder) => isWithin(path, folder))) {
    return { kind: "allowed", look: path };
  }
  return { kind: "outside" };
}

/** Takes two normalised paths; says whether the first is the second or lies below it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === "/" ? "/" : `${outer}/`);
}

/** Takes a text; gives it as a normalised absolute path, or null when it is none. */
export function normalise(text: string): string | null {
  if (!text.startsWith("/") || text.includes("\0")) return null;
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
