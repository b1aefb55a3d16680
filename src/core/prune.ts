/** Which releases are kept on disk (SPEC §4): the current one and the newest before it. */

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
