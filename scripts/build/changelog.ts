/** The Debian changelog of the package, made from the project's own: one entry, that of the version. */

/** Who answers for the package. */
export const MAINTAINER = "Monky platform team <platform@monky.invalid>";

const WIDTH = 78;

/** What an entry is made of. */
export interface ChangelogParts {
  /** The text of CHANGELOG.md. */
  readonly text: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly momentS: number;
}

/**
 * Gives the entry of the version in Debian's form (deb-changelog(5)).
 * Throws Error when CHANGELOG.md has no section, or an empty one, for the version.
 */
export function debianChangelog({ text, version, momentS }: ChangelogParts): string {
  const section = text.split(/^## /m).find((part) => /^(\S+?),? /.exec(part)?.[1] === version);
  const items = section?.split(/^- /m).slice(1).map((item) => item.split(/\n\n/)[0] ?? "") ?? [];
  if (items.length === 0) throw new Error(`CHANGELOG.md says nothing of ${version}`);
  const changes = items.map((item) => wrap(item.replaceAll(/\s+/g, " ").trim())).join("\n");
  return `monky-deployd (${version}) stable; urgency=medium\n\n${changes}\n\n` +
    ` -- ${MAINTAINER}  ${rfc2822(momentS)}\n`;
}

function wrap(item: string): string {
  const lines: string[] = [];
  let line = "  *";
  for (const word of item.split(" ")) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = "   ";
    }
    line += ` ${word}`;
  }
  return [...lines, line].join("\n");
}

/** `toUTCString` ends in "GMT", for which Debian wants the offset. */
function rfc2822(momentS: number): string {
  return new Date(momentS * 1000).toUTCString().replace("GMT", "+0000");
}
