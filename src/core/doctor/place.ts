/** Where a box's things lie, as the doctor's sentences and commands name them. Pure. */

import type { Config } from "../../model/config.ts";

/** What fixes and judgements know of the box besides what was seen. */
export interface Place {
  readonly config: Config;
  /** The config file, as it was given. */
  readonly configPath: string;
  /** The user that owns the state folder, so the one the agent runs as; null: not known yet. */
  readonly agentUid: number | null;
}

/** The folder that holds a path. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

/** Takes permission bits; gives them as chmod spells them: `0600`. */
export function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** Gives the agent's user as chown and setfacl take it. */
export function agentUser({ agentUid }: Pick<Place, "agentUid">): string {
  return agentUid === null ? "monky-deployd" : String(agentUid);
}

/** Takes words; gives them quoted for a shell where that is needed. */
export function shellWords(...words: readonly string[]): string {
  return words.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word)).join(" ");
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
