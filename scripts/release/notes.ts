/** Release notes: the section of CHANGELOG.md that the version heads. */

/**
 * Takes the changelog and a version; gives the section's text without its heading.
 *
 * @throws {Error} When there is none, it is empty, or it still says "unreleased".
 */
export function notesOf(changelog: string, version: string): string {
  const lines = changelog.split("\n");
  const isHead = (line: string): boolean =>
    line === `## ${version}` || line.startsWith(`## ${version},`);
  const from = lines.findIndex(isHead);
  if (from === -1) throw new Error(`CHANGELOG.md has no section "## ${version}": write it first`);
  if (/unreleased/i.test(lines[from] ?? "")) {
    throw new Error(`CHANGELOG.md calls ${version} unreleased: put its date there first`);
  }
  const rest = lines.slice(from + 1);
  const to = rest.findIndex((line) => line.startsWith("## "));
  const notes = rest.slice(0, to === -1 ? undefined : to).join("\n").trim();
  if (notes === "") throw new Error(`the section of ${version} in CHANGELOG.md is empty`);
  return notes;
}
