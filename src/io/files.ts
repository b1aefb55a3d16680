/**
 * Files, as ports.ts promises them: bounded reads that no pipe can hang and no link can steer, and
 * changes that are durable in one step. Writing stands in file_write.ts, errors in file_faults.ts.
 */

import { AgentError } from "../errors.ts";
import type { Files, FileStat, ReadOptions } from "../ports.ts";
import { isAbsent, osCode, unreadable, unwritable } from "./file_faults.ts";
import {
  createDurably,
  makeFolders,
  renameDurably,
  syncFolder,
  writeDurably,
} from "./file_write.ts";
import { statOpened } from "./stat_opened.ts";

/** Gives the real files. */
export function createFiles(): Files {
  return {
    read,
    stat,
    list,
    write: writeDurably,
    create: createDurably,
    makeDir: makeFolders,
    chmod,
    rename: renameDurably,
    readLink,
    remove,
    syncDir: syncFolder,
    freeBytes,
  };
}

async function read(
  path: string,
  maxBytes: number,
  options: ReadOptions = {},
): Promise<Uint8Array | null> {
  try {
    // Looked at before it is opened: opening a pipe would wait for its writer.
    const look = options.followLink === true ? Deno.stat : Deno.lstat;
    const seen = await look(path);
    if (!seen.isFile) throw notAFile(path, kindOf(seen));
    using file = await Deno.open(path);
    const opened = await statOpened(file, () => look(path));
    if (opened.ino !== seen.ino || opened.dev !== seen.dev) {
      throw new AgentError("FILE_UNREADABLE", `"${path}" was replaced while it was opened`, {
        data: { path },
      });
    }
    return await readAll(file, { path, maxBytes, sizeBytes: opened.size });
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw unreadable(thrown, path, "read");
  }
}

interface ReadBounds {
  readonly path: string;
  readonly maxBytes: number;
  readonly sizeBytes: number;
}

/** Reads to the end, for a file of /proc or one that grows says less than it holds. */
async function readAll(file: Deno.FsFile, bounds: ReadBounds): Promise<Uint8Array> {
  let content = new Uint8Array(Math.min(bounds.sizeBytes, bounds.maxBytes) + 1);
  let used = 0;
  for (;;) {
    const count = await file.read(content.subarray(used));
    if (count === null) return content.subarray(0, used);
    used += count;
    if (used > bounds.maxBytes) {
      throw new AgentError(
        "FILE_UNREADABLE",
        `"${bounds.path}" is larger than ${bounds.maxBytes} bytes`,
        { data: { path: bounds.path, maxBytes: bounds.maxBytes } },
      );
    }
    if (used < content.length) continue;
    const larger = new Uint8Array(Math.min(content.length * 2, bounds.maxBytes + 1));
    larger.set(content);
    content = larger;
  }
}

function notAFile(path: string, kind: FileStat["kind"]): AgentError {
  const what = kind === "symlink"
    ? "a symbolic link"
    : kind === "directory"
    ? "a folder"
    : "no regular file";
  return new AgentError("FILE_UNREADABLE", `"${path}" is ${what}`, { data: { path } });
}

function kindOf(found: Deno.FileInfo): FileStat["kind"] {
  if (found.isSymlink) return "symlink";
  if (found.isDirectory) return "directory";
  return found.isFile ? "file" : "other";
}

async function stat(path: string): Promise<FileStat | null> {
  try {
    const found = await Deno.lstat(path);
    return {
      kind: kindOf(found),
      size: found.size,
      mode: (found.mode ?? 0) & 0o7777,
      uid: found.uid ?? 0,
      identity: identityOf(found),
    };
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw unreadable(thrown, path, "looked at");
  }
}

/** Nobody can set the time of an inode's last change, but the runtime gives it in whole seconds. */
function identityOf({ dev, ino, size, mtime, ctime }: Deno.FileInfo): string {
  return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
}

async function list(path: string): Promise<readonly string[]> {
  try {
    const names: string[] = [];
    for await (const { name } of Deno.readDir(path)) names.push(name);
    return names.sort();
  } catch (thrown) {
    // A file in the folder's place is no missing folder.
    if (thrown instanceof Deno.errors.NotFound) return [];
    throw unreadable(thrown, path, "listed");
  }
}

async function chmod(path: string, mode: number): Promise<void> {
  try {
    await Deno.chmod(path, mode);
  } catch (thrown) {
    throw unwritable(thrown, path, "given other permission bits");
  }
}

async function readLink(path: string): Promise<string | null> {
  try {
    return await Deno.readLink(path);
  } catch (thrown) {
    // EINVAL: there is something, but it is no link.
    if (isAbsent(thrown) || osCode(thrown) === "EINVAL") return null;
    throw unreadable(thrown, path, "read as a link");
  }
}

async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (thrown) {
    if (isAbsent(thrown)) return;
    throw unwritable(thrown, path, "removed");
  }
}

async function freeBytes(path: string): Promise<number> {
  try {
    // The runtime has no statfs of its own, and the first node: import costs 50 ms (facts: deno §8):
    // only an apply comes here.
    const { statfs } = await import("node:fs/promises");
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (thrown) {
    throw unreadable(thrown, path, "asked for its free space");
  }
}
