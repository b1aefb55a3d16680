/** install.sh as a box downloads it: one file, made of packaging/install.sh and the parts it reads. */

const PART = /^\. "\$here\/(install\/[a-z_]+\.sh)"$/;

/**
 * Takes the project's folder and the version; gives the script with its parts in the places where
 * they are read, and the release that it belongs to.
 * Throws Error when a part is missing or the version has no place in it.
 */
export async function joinInstaller(root: string, version: string): Promise<string> {
  const folder = `${root}/packaging`;
  const lines: string[] = [];
  for (const line of (await Deno.readTextFile(`${folder}/install.sh`)).split("\n")) {
    const part = PART.exec(line)?.[1];
    if (part !== undefined) lines.push((await Deno.readTextFile(`${folder}/${part}`)).trimEnd());
    else if (!line.startsWith("# shellcheck source=")) lines.push(line);
  }
  const script = lines.join("\n");
  if (!script.includes("@VERSION@")) throw new Error("install.sh has no place for the version");
  return script.replaceAll("@VERSION@", version);
}
