/** The files of a release, as `deno task build` leaves them: SHA256SUMS and exactly what it lists. */

/** One file of a release. */
export interface Asset {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Lowercase hex. */
  readonly sha256: string;
}

/** A built release. */
export interface Built {
  readonly version: string;
  /** SHA256SUMS last: where it is, the release is whole. */
  readonly assets: readonly Asset[];
}

/** The file that lists all others. */
export const SUMS = "SHA256SUMS";

/**
 * Takes the folder of a build and the version that it must be; gives its files, each checked against
 * SHA256SUMS.
 *
 * @throws {Error} When a file is missing, is not what SHA256SUMS says, is not listed, or when no
 * file carries the version.
 */
export async function readBuilt(folder: string, version: string): Promise<Built> {
  const listed = parseSums(await readText(`${folder}/${SUMS}`));
  const found: string[] = [];
  for await (const each of Deno.readDir(folder)) if (each.isFile) found.push(each.name);
  const strays = found.filter((name) => name !== SUMS && !listed.has(name));
  if (strays.length > 0) {
    throw new Error(`${SUMS} does not list ${strays.join(", ")}: build again`);
  }
  const assets: Asset[] = [];
  for (const [name, sum] of [...listed, [SUMS, null] as const]) {
    const asset = await readAsset(folder, name);
    if (sum !== null && asset.sha256 !== sum) {
      throw new Error(`${name} is not the file that ${SUMS} lists: build again`);
    }
    assets.push(asset);
  }
  if (!assets.some(({ name }) => name.includes(version))) {
    throw new Error(`the build in ${folder} is not of version ${version}: build again`);
  }
  return { version, assets };
}

/** Takes the text of SHA256SUMS; gives name → sum. Throws when a line is of another form. */
export function parseSums(text: string): ReadonlyMap<string, string> {
  const sums = new Map<string, string>();
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, sum, name] = /^([0-9a-f]{64}) [ *]([A-Za-z0-9][A-Za-z0-9._+-]*)$/.exec(line) ?? [];
    if (sum === undefined || name === undefined) {
      throw new Error(`${SUMS} has a line that is no checksum and name`);
    }
    sums.set(name, sum);
  }
  if (sums.size === 0) throw new Error(`${SUMS} lists nothing`);
  return sums;
}

async function readAsset(folder: string, name: string): Promise<Asset> {
  const path = `${folder}/${name}`;
  try {
    const bytes = await Deno.readFile(path);
    return { name, path, sizeBytes: bytes.length, sha256: await sha256Hex(bytes) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new Error(`${name} is listed in ${SUMS} and is not in ${folder}: build again`);
    }
    throw error;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`there is no ${path}: run "deno task build" first`);
  }
}

/** Takes bytes; gives their SHA-256 in lowercase hex. */
export async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
