/** Small .deb packages and a folder of them that apt takes as a source. */

import { runChecked } from "./process.ts";

/** What a package is made of. */
export interface DebPackage {
  readonly name: string;
  readonly version: string;
  /** Files by absolute path; a `source` is copied from this machine. All are 0755. */
  readonly files: Readonly<Record<string, string | { readonly source: string }>>;
  /** Run after the files are there. */
  readonly postinst?: string;
}

/**
 * Makes one package, not compressed.
 *
 * @param folder where it is put, as `<name>_<version>_amd64.deb`
 * @param made what it is made of
 * @throws Error with what dpkg-deb says
 */
export async function makeDeb(folder: string, made: DebPackage): Promise<void> {
  const tree = await Deno.makeTempDir({ prefix: "deb-" });
  try {
    await Deno.chmod(tree, 0o755);
    await Deno.mkdir(`${tree}/DEBIAN`);
    const control = {
      Package: made.name,
      Version: made.version,
      Architecture: "amd64",
      Maintainer: "the lab <lab@localhost>",
      Description: `stands in for ${made.name}`,
    };
    const lines = Object.entries(control).map(([field, value]) => `${field}: ${value}\n`);
    await Deno.writeTextFile(`${tree}/DEBIAN/control`, lines.join(""));
    if (made.postinst !== undefined) await write(`${tree}/DEBIAN/postinst`, made.postinst);
    for (const [path, content] of Object.entries(made.files)) {
      await Deno.mkdir(`${tree}${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
      if (typeof content === "string") await write(`${tree}${path}`, content);
      else await Deno.copyFile(content.source, `${tree}${path}`);
      await Deno.chmod(`${tree}${path}`, 0o755);
    }
    await runChecked(
      ["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, `${folder}/${fileOf(made)}`],
    );
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

/**
 * Writes the index that makes a folder of packages a source: `deb [trusted=yes] file:<folder> ./`.
 *
 * @param folder holds the .deb files
 * @throws Error with what dpkg-deb says
 */
export async function writePackageIndex(folder: string): Promise<void> {
  const paragraphs: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".deb")) continue;
    const content = await Deno.readFile(`${folder}/${name}`);
    const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
    const control = (await runChecked(["dpkg-deb", "--field", `${folder}/${name}`])).trimEnd();
    paragraphs.push(`${control}\nFilename: ./${name}\nSize: ${content.length}\nSHA256: ${sum}\n`);
  }
  await Deno.writeTextFile(`${folder}/Packages`, paragraphs.join("\n"));
}

function fileOf({ name, version }: DebPackage): string {
  return `${name}_${version}_amd64.deb`;
}

async function write(path: string, content: string): Promise<void> {
  await Deno.writeTextFile(path, content, { mode: 0o755 });
  await Deno.chmod(path, 0o755);
}
