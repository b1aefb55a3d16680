/**
 * Which service a failed pull or up of docker compose is about. Its last line names none; the lines
 * of progress before it do, if one knows how far to trust them: when one pull fails the others are
 * cancelled and complain in borrowed words (facts: docker §5), so only the first that says the same
 * as the last line counts.
 */

import { plainText } from "../model/plain_text.ts";

/** Begun, and what ends it. */
const BEGUN = /^Container (\S+)\s+(?:Creating|Recreate|Starting|Restarting|Stopping|Removing)$/;
const ENDED =
  /^Container (\S+)\s+(?:Created|Recreated|Started|Running|Stopped|Removed|Healthy|Exited)$/;

/**
 * Takes the last lines of standard error, cleaned of nothing; gives the service (pull) or container
 * (up) at fault, as compose names it, or null when that is not certain.
 */
export function culpritOf(stderrTail: readonly string[]): string | null {
  const lines = stderrTail.map((line) => plainText(line).trim()).filter((line) => line !== "");
  const last = lines.at(-1);
  if (last === undefined) return null;
  const words = withoutSpeaker(last);
  for (const line of lines.slice(0, -1)) {
    const [, name = "", says = ""] = /^(?:Image |Container )?(\S+)\s+Error\s+(.+)$/.exec(line) ??
      [];
    if (name !== "" && withoutSpeaker(says) === words) return name;
  }
  return onlyUnfinished(lines);
}

function withoutSpeaker(line: string): string {
  return line.replace(/^Error response from daemon: /, "");
}

/** Of several that are under way at once, nobody can tell which one failed. */
function onlyUnfinished(lines: readonly string[]): string | null {
  const open = new Set<string>();
  for (const line of lines) {
    const begun = BEGUN.exec(line)?.[1];
    const ended = ENDED.exec(line)?.[1];
    if (begun !== undefined) open.add(begun);
    if (ended !== undefined) open.delete(ended);
  }
  const [name] = open;
  return open.size === 1 && name !== undefined ? name : null;
}
