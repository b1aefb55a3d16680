/**
 * The runtime's file errors as AgentErrors. The sentence names the path and what was tried; the
 * runtime's own text stays in the cause (it names paths and errno, never content).
 */

import { AgentError } from "../errors.ts";

/** Gives FILE_UNREADABLE or PERMISSION_MISSING; `tried` completes "cannot be …". */
export function unreadable(thrown: unknown, path: string, tried: string): AgentError {
  if (thrown instanceof AgentError) return thrown;
  return permissionMissing(thrown, path, tried) ??
    new AgentError("FILE_UNREADABLE", `"${path}" cannot be ${tried}${because(thrown)}`, {
      cause: thrown,
      data: { path },
    });
}

/** Gives DISK_FULL, FILE_UNWRITABLE or PERMISSION_MISSING; `tried` completes "cannot be …". */
export function unwritable(thrown: unknown, path: string, tried: string): AgentError {
  if (thrown instanceof AgentError) return thrown;
  const missing = permissionMissing(thrown, path, tried);
  if (missing !== null) return missing;
  const code = isFull(thrown) ? "DISK_FULL" : "FILE_UNWRITABLE";
  return new AgentError(code, `"${path}" cannot be ${tried}${because(thrown)}`, {
    cause: thrown,
    data: { path },
  });
}

/** Says whether the error means that there is nothing at the path (or no folder on the way). */
export function isAbsent(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory;
}

function permissionMissing(thrown: unknown, path: string, tried: string): AgentError | null {
  if (!(thrown instanceof Deno.errors.NotCapable)) return null;
  return new AgentError(
    "PERMISSION_MISSING",
    `the agent was not started with the permission by which "${path}" can be ${tried}`,
    { cause: thrown, data: { path } },
  );
}

/** ENOSPC, and EDQUOT: a quota is a full disk to whom it binds. */
function isFull(thrown: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(osCode(thrown));
}

/** What an operator meets, in words; anything else is left to the cause. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: "this user may not",
  EBUSY: "something else holds it",
  EDQUOT: "the quota is used up",
  EEXIST: "something of that name is there already",
  EFBIG: "it would be larger than this process or file system allows",
  EIO: "the disk reports an error",
  EISDIR: "it is a folder",
  ELOOP: "it has too many symbolic links",
  EMFILE: "this process has too many files open",
  ENAMETOOLONG: "its name is too long",
  ENFILE: "the box has too many files open",
  ENOENT: "there is nothing of that name, or its folder is missing",
  ENOLCK: "its file system keeps no locks",
  ENOMEM: "there is no memory left",
  ENOSPC: "the file system is full, or has no inodes left (df -i)",
  ENOTDIR: "a part of the path is no folder",
  ENOTEMPTY: "the folder is not empty",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only",
  ESTALE: "the file server no longer has it",
  ETIMEDOUT: "the file server does not answer",
  ETXTBSY: "it is a program that runs",
  EXDEV: "it would cross file systems",
};

function because(thrown: unknown): string {
  const words = WORDS[osCode(thrown)];
  return words === undefined ? "" : `: ${words}`;
}

/** Gives the name of the system's error, `ENOSPC`, or "" for an error that has none. */
export function osCode(thrown: unknown): string {
  if (!(thrown instanceof Error) || !("code" in thrown)) return "";
  return typeof thrown.code === "string" ? thrown.code : "";
}
