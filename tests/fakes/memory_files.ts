/**
 * Files in memory, as src/io/files.ts gives them: for tests of an order of effects, where every one
 * of them is a moment at which the process may die or the disk be full.
 */

import { AgentError } from "../../src/errors.ts";
import type { Files, FileStat } from "../../src/ports.ts";

interface Entry {
  readonly bytes: Uint8Array;
  mode: number;
}

/** The files, and hands to set and look at them. */
export interface MemoryFiles extends Files {
  /** Puts a text file there. */
  put(path: string, text: string, mode?: number): void;
  /** Gives a file's text, or null. */
  text(path: string): string | null;
  /** From now on asked before each change: what it throws is what the change throws. Null: nobody. */
  before(ask: ((change: string, path: string) => void) | null): void;
}

/** Makes an empty disk that belongs to user 0. */
export function memoryFiles(): MemoryFiles {
  const entries = new Map<string, Entry>();
  let ask: ((change: string, path: string) => void) | null = null;

  function change(name: string, path: string, apply: () => void): Promise<void> {
    return Promise.try(() => {
      ask?.(name, path);
      apply();
    });
  }
  function statOf(path: string): FileStat | null {
    const found = entries.get(path);
    if (found === undefined) return null;
    return { kind: "file", size: found.bytes.length, mode: found.mode, uid: 0 };
  }
  function write(path: string, content: Uint8Array, mode: number): void {
    entries.set(path, { bytes: content.slice(), mode });
  }

  return {
    put: (path, text, mode = 0o600) => write(path, new TextEncoder().encode(text), mode),
    text: (path) => {
      const found = entries.get(path);
      return found === undefined ? null : new TextDecoder().decode(found.bytes);
    },
    before: (next) => {
      ask = next;
    },
    read: (path) => Promise.resolve(entries.get(path)?.bytes ?? null),
    stat: (path) => Promise.resolve(statOf(path)),
    list: (folder) =>
      Promise.resolve(
        [...entries.keys()].filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split("/")[0] ?? "")
          .filter((name, index, all) => all.indexOf(name) === index).sort(),
      ),
    write: (path, content, { mode }) => change("write", path, () => write(path, content, mode)),
    create: (path, content, { mode }) => change("create", path, () => write(path, content, mode)),
    makeDir: () => Promise.resolve(),
    chmod: (path, mode) =>
      change("chmod", path, () => {
        const found = entries.get(path);
        if (found !== undefined) found.mode = mode;
      }),
    rename: (from, to) =>
      change("rename", from, () => {
        const found = entries.get(from);
        if (found === undefined) throw new AgentError("FILE_UNWRITABLE", `there is no ${from}`);
        entries.delete(from);
        entries.set(to, found);
      }),
    readLink: () => Promise.resolve(null),
    remove: (path) =>
      change("remove", path, () => {
        for (const each of [...entries.keys()]) {
          if (each === path || each.startsWith(`${path}/`)) entries.delete(each);
        }
      }),
    syncDir: () => Promise.resolve(),
    freeBytes: () => Promise.resolve(2 ** 40),
  };
}
