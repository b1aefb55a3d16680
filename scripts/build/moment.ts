/** The one time that a build knows: that of its commit, so that the same commit gives the same bytes. */

import { runProgram } from "./run.ts";

/**
 * Takes the project's folder; gives seconds since 1970: `SOURCE_DATE_EPOCH` where it is set
 * (reproducible-builds.org), else the time of the commit.
 * Throws Error when neither is there.
 */
export async function buildMoment(root: string): Promise<number> {
  const given = Deno.env.get("SOURCE_DATE_EPOCH");
  const text = given ?? await lastCommit(root);
  if (!/^[0-9]{1,10}\s*$/.test(text)) {
    throw new Error(`SOURCE_DATE_EPOCH must be seconds since 1970, and is "${text}"`);
  }
  return Number(text);
}

async function lastCommit(root: string): Promise<string> {
  try {
    return await runProgram("git", { args: ["-C", root, "log", "-1", "--format=%ct"] });
  } catch (cause) {
    throw new Error("this is no git clone with a commit: set SOURCE_DATE_EPOCH", { cause });
  }
}
