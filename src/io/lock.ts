/**
 * The lock as a kernel lock (flock) on a file that is made once and never removed or replaced: it
 * dies with its holder, however that ends, and no content of the file means anything (case 60).
 */

import { AgentError } from "../errors.ts";
import type { HeldLock, Lock } from "../ports.ts";
import { unwritable } from "./file_faults.ts";

/** Gives the real lock. `acquire` throws LOCK_HELD, FILE_UNWRITABLE, DISK_FULL or PERMISSION_MISSING. */
export function createLock(): Lock {
  return { acquire };
}

async function acquire(path: string): Promise<HeldLock> {
  const file = await openLockFile(path);
  try {
    if (!await file.tryLock(true)) {
      throw new AgentError("LOCK_HELD", `another process holds the lock "${path}"`, {
        data: { path },
      });
    }
  } catch (thrown) {
    file.close();
    throw thrown instanceof AgentError ? thrown : unwritable(thrown, path, "locked");
  }
  return { release: () => release(file) };
}

/**
 * A child's copy does not hold the lock (O_CLOEXEC, facts: deno §6), but there is one from its fork to
 * its exec: closing alone would give the lock back only then, unlocking gives it back for all copies.
 */
function release(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } finally {
    file.close();
  }
}

async function openLockFile(path: string): Promise<Deno.FsFile> {
  try {
    // Opening a pipe would wait for its other end.
    const found = await Deno.lstat(path).catch(() => null);
    if (found !== null && !found.isFile) {
      throw new AgentError("FILE_UNWRITABLE", `the lock "${path}" is not a regular file`, {
        data: { path },
      });
    }
    return await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (thrown) {
    throw thrown instanceof AgentError ? thrown : unwritable(thrown, path, "opened");
  }
}
