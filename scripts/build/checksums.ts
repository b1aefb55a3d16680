/** Checksums of the files of a release, as coreutils' sha256sum writes and checks them. */

/** Takes bytes; gives their SHA-256 in hex. */
export async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Writes `SHA256SUMS` over the named files of a folder, in the order of their names. */
export async function writeChecksums(folder: string, names: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const name of [...names].sort()) {
    lines.push(`${await sha256Of(await Deno.readFile(`${folder}/${name}`))}  ${name}\n`);
  }
  await Deno.writeTextFile(`${folder}/SHA256SUMS`, lines.join(""), { mode: 0o644 });
}
