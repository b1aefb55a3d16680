/** Sizes of files as the build prints them. Pure. */

/** Takes bytes; gives them in the unit that shows something: `512 B`, `4.2 KiB`, `71.3 MiB`. */
export function sayBytes(bytes: number): string {
  if (bytes < 2 ** 10) return `${bytes} B`;
  // 1023.95 KiB and more would be printed as 1024.0.
  if (bytes < 2 ** 20 - 52) return `${(bytes / 2 ** 10).toFixed(1)} KiB`;
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
