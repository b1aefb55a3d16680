/**
 * Which releases are kept on disk (SPEC §4): the current one and the newest before it; and which of
 * the images of those that go no kept release needs. Nothing else's images are ever looked at.
 */

import type { ReleaseRecord } from "../model/release_record.ts";

/** What the rule looks at; shas. */
export interface PruneFacts {
  readonly onDisk: readonly string[];
  /** Releases that were applied, newest last; the current one may not be in it yet. */
  readonly history: readonly string[];
  readonly current: string;
  /** `releases_kept`, the current one included. */
  readonly keep: number;
}

/** Takes the facts; gives the shas to remove, sorted. What was never applied is not kept. */
export function releasesToRemove(
  { onDisk, history, current, keep }: PruneFacts,
): readonly string[] {
  const newestFirst = [current, ...history.filter((sha) => sha !== current).reverse()];
  const kept = new Set(newestFirst.slice(0, Math.max(1, keep)));
  return onDisk.filter((sha) => !kept.has(sha)).sort();
}

/** A release's images, by reference and by id. */
export type ReleaseImages = Pick<ReleaseRecord, "images" | "released">;

/**
 * Takes the releases that go and those that stay; gives references, then ids, to remove. Ids too,
 * because a tag that has moved on leaves its old image without a name (facts: docker §9).
 */
export function imagesToRemove(
  gone: readonly ReleaseImages[],
  kept: readonly ReleaseImages[],
): readonly string[] {
  const needed = new Set(kept.flatMap(namesOf));
  const unneeded = gone.flatMap(namesOf).filter((name) => !needed.has(name));
  const names = [...new Set(unneeded)].sort();
  return [...names.filter((name) => !isId(name)), ...names.filter(isId)];
}

function namesOf({ images, released }: ReleaseImages): readonly string[] {
  return [...images, ...Object.values(released).flatMap((service) => service.imageIds)];
}

function isId(name: string): boolean {
  return name.startsWith("sha256:");
}
