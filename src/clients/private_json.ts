/**
 * A private JSON file of the state folder: 0600, replaced in one durable step. One that cannot be
 * used is kept aside and said, never overwritten; a looser mode is repaired and said (SPEC §4.3, §5).
 */

import { isLeftover } from "../model/leftover.ts";
import type { Ports } from "../ports.ts";

const FILE_MODE = 0o600;
const DIR_MODE = 0o700;
const KEPT_ASIDE = 3;

/** Which file, and how its bytes are read. */
export interface PrivateJsonOptions<T> {
  readonly dir: string;
  readonly name: string;
  readonly maxBytes: number;
  /** Gives null for bytes that are of no use. */
  readonly parse: (bytes: Uint8Array) => T | null;
}

/** What reading gave. */
export interface PrivateRead<T> {
  /** Null: there is no file that can be used. */
  readonly value: T | null;
  /** What was odd about the file, in whole clauses, for the log. */
  readonly warnings: readonly string[];
}

/** Reads and writes one such file. */
export interface PrivateJson<T> {
  /**
   * With `repair`, a loose file is made private and a broken one moved aside; without, only told.
   * Throws FILE_UNREADABLE, FILE_UNWRITABLE.
   */
  read(options: { readonly repair: boolean }): Promise<PrivateRead<T>>;
  /** Replaces the file, and removes what killed writes of it left. Throws DISK_FULL, FILE_UNWRITABLE. */
  write(bytes: Uint8Array): Promise<void>;
}

/** Makes the store; throws nothing. */
export function createPrivateJson<T>(
  { files }: Pick<Ports, "files">,
  { dir, name, maxBytes, parse }: PrivateJsonOptions<T>,
): PrivateJson<T> {
  const path = `${dir}/${name}`;

  async function keepAside(): Promise<string> {
    const prefix = `${name}.bad-`;
    const numbers = (await files.list(dir))
      .filter((each) => each.startsWith(prefix) && /^\d{1,15}$/.test(each.slice(prefix.length)))
      .map((each) => Number(each.slice(prefix.length)))
      .sort((a, b) => a - b);
    for (const old of numbers.slice(0, Math.max(0, numbers.length - KEPT_ASIDE + 1))) {
      await files.remove(`${path}.bad-${old}`);
    }
    const target = `${path}.bad-${(numbers.at(-1) ?? 0) + 1}`;
    await files.rename(path, target);
    return target;
  }

  /** A write that was killed is done again by a later tick: what it left is met then. */
  async function sweep(): Promise<void> {
    const left = (await files.list(dir)).filter((each) =>
      isLeftover(each) && each.startsWith(`.${name}.`)
    );
    for (const each of left) await files.remove(`${dir}/${each}`);
  }

  return {
    async read({ repair }): Promise<PrivateRead<T>> {
      const stat = await files.stat(path);
      if (stat === null) return { value: null, warnings: [] };
      const isFile = stat.kind === "file";
      const warnings: string[] = [];
      if (isFile && (stat.mode & 0o077) !== 0) {
        if (repair) await files.chmod(path, FILE_MODE);
        const mode = (stat.mode & 0o7777).toString(8).padStart(4, "0");
        const done = repair ? " and was set to 0600" : "";
        warnings.push(`${path} had mode ${mode}${done}; others may have read it`);
      }
      const bytes = isFile && stat.size <= maxBytes ? await files.read(path, maxBytes) : null;
      const value = bytes === null ? null : parse(bytes);
      if (value === null) {
        const where = repair ? ` and lies at ${await keepAside()}` : "";
        warnings.push(`${path} could not be read${where}`);
      }
      return { value, warnings };
    },
    async write(bytes): Promise<void> {
      await files.makeDir(dir, DIR_MODE);
      await sweep();
      await files.write(path, bytes, { mode: FILE_MODE });
    },
  };
}
