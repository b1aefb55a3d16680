/**
 * The names of temporary files: how they are made, and how one that a killed write left behind is
 * recognised, so that it can be swept away. Pure text.
 */

const LEFTOVER = /^\.[\s\S]*\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;
/** A name may have 255 bytes; 32 characters of it are 128 bytes at most. */
const MAX_STEM_CHARS = 32;

/** Takes a file's name and a UUID; gives the name of the temporary file that becomes it: `.name.<uuid>.tmp`. */
export function leftoverName(name: string, uuid: string): string {
  return `.${[...name].slice(0, MAX_STEM_CHARS).join("")}.${uuid}.tmp`;
}

/** Takes a name (no path); says whether a killed write left it behind. Only the holder of the lock may then remove it. */
export function isLeftover(name: string): boolean {
  return LEFTOVER.test(name);
}
