/**
 * Changes that survive a power cut: content goes through a temporary file of the same folder, is
 * made durable, renamed over its name, and the folder is made durable (facts: deno §6). A failed
 * write leaves nothing behind; a killed one leaves a name that isLeftover recognises.
 */

import { AgentError } from "../errors.ts";
import { leftoverName } from "../model/leftover.ts";
import type { WriteOptions } from "../ports.ts";
import { osCode, unwritable } from "./file_faults.ts";
import { statOpened } from "./stat_opened.ts";

/** Replaces or creates the file; a symbolic link at the path is replaced, not followed. */
export async function writeDurably(
  path: string,
  content: Uint8Array,
  options: WriteOptions,
): Promise<void> {
  const { through } = options;
  if (through !== undefined) {
    await Deno.remove(through).catch(() => {
      // There is none, as it should be; what cannot be removed is in the way of the next line too.
    });
  }
  const temporary = through ?? temporaryOf(path);
  await replace(path, { temporary, tried: "written" }, () => writeNew(temporary, content, options));
  if (through === undefined) await syncFolder(folderOf(path));
}

/** Creates a file that must not exist yet, durable but for its name: the caller syncs the folder. */
export async function createDurably(
  path: string,
  content: Uint8Array,
  options: WriteOptions,
): Promise<void> {
  try {
    await writeNew(path, content, options);
  } catch (thrown) {
    throw unwritable(thrown, path, "created");
  }
}

/** Writes and syncs a new file; removes it when that fails, but never one that was there before. */
async function writeNew(path: string, content: Uint8Array, { mode }: WriteOptions): Promise<void> {
  // O_EXCL: a file or link that somebody put there is never written through.
  const file = await Deno.open(path, { write: true, createNew: true, mode });
  try {
    for (let at = 0; at < content.length;) at += await file.write(content.subarray(at));
    // The umask took bits away at creation; 0644 for a service under UMask=0077 is meant.
    const made = await statOpened(file, () => Deno.lstat(path));
    if (((made.mode ?? 0) & 0o7777) !== mode) await Deno.chmod(path, mode);
    await file.sync();
  } catch (thrown) {
    await Deno.remove(path).catch(() => {
      // It cannot be removed either: the sweep of leftovers finds it.
    });
    throw thrown;
  } finally {
    file.close();
  }
}

/** Renames and makes both folders durable. */
export async function renameDurably(from: string, to: string): Promise<void> {
  try {
    await Deno.rename(from, to);
  } catch (thrown) {
    throw unwritable(thrown, from, `renamed to "${to}"`);
  }
  await syncFolder(folderOf(to));
  if (folderOf(from) !== folderOf(to)) await syncFolder(folderOf(from));
}

/** Makes the folder and its missing parents, each with the mode whatever the umask says, durably. */
export async function makeFolders(path: string, mode: number): Promise<void> {
  const missing: string[] = [];
  let at = path.length > 1 ? path.replace(/\/+$/, "") : path;
  while (!await isFolder(at)) {
    missing.unshift(at);
    at = folderOf(at);
  }
  for (const folder of missing) {
    try {
      await Deno.mkdir(folder, { mode });
      await Deno.chmod(folder, mode);
    } catch (thrown) {
      // Made by somebody else meanwhile: theirs, with their mode.
      if (thrown instanceof Deno.errors.AlreadyExists) continue;
      throw parentMissing(thrown, folder) ?? unwritable(thrown, folder, "made");
    }
    await syncParent(folder);
  }
}

/** The agent may make its own folders and none above them: somebody else has to. */
function parentMissing(thrown: unknown, folder: string): AgentError | null {
  if (!(thrown instanceof Deno.errors.NotFound)) return null;
  const parent = folderOf(folder);
  return new AgentError(
    "FILE_UNWRITABLE",
    `"${folder}" cannot be made: there is no folder "${parent}"`,
    {
      cause: thrown,
      data: { path: folder },
      hint: `Make the folder ${parent} for the agent's user (mkdir -p), or correct config.yaml.`,
    },
  );
}

/** The outermost granted folder has a parent that the agent may not open: its entry is not ours. */
async function syncParent(folder: string): Promise<void> {
  try {
    using parent = await Deno.open(folderOf(folder));
    await parent.sync();
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotCapable) return;
    throw unwritable(thrown, folder, "made durable");
  }
}

/** Makes earlier changes of the folder's entries durable. */
export async function syncFolder(path: string): Promise<void> {
  try {
    using folder = await Deno.open(path);
    await folder.sync();
  } catch (thrown) {
    throw unwritable(thrown, path, "made durable");
  }
}

/** Makes something under a temporary name and renames it over the path; removes it when that fails. */
async function replace(
  path: string,
  { temporary, tried }: { readonly temporary: string; readonly tried: string },
  make: () => Promise<void>,
): Promise<void> {
  try {
    await make();
    await Deno.rename(temporary, path);
  } catch (thrown) {
    await Deno.remove(temporary).catch(() => {
      // It was not made, was removed, or cannot be: then the sweep of leftovers finds it.
    });
    throw unwritable(thrown, path, tried);
  }
}

function temporaryOf(path: string): string {
  const folder = folderOf(path);
  const name = leftoverName(path.slice(path.lastIndexOf("/") + 1), crypto.randomUUID());
  return `${folder === "/" ? "" : folder}/${name}`;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await Deno.stat(path)).isDirectory) return true;
  } catch (thrown) {
    if (osCode(thrown) === "ENOENT") return false;
    // Above the outermost granted folder nothing can be looked at: making it will tell.
    if (thrown instanceof Deno.errors.NotCapable) return true;
    throw unwritable(thrown, path, "made");
  }
  throw new AgentError("FILE_UNWRITABLE", `"${path}" stands where a folder is needed`, {
    data: { path },
  });
}

/** Gives the folder of a path; "." for a bare name. */
function folderOf(path: string): string {
  const cut = path.lastIndexOf("/");
  if (cut < 0) return ".";
  return cut === 0 ? "/" : path.slice(0, cut);
}
