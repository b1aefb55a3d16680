/** Comparing versions as MAJOR.MINOR.PATCH with an optional pre-release (semver.org §11, reduced). */

/**
 * Takes two versions; gives a negative number when the first is older, a positive one when it is
 * newer, 0 when they are the same. Parts that are no numbers count as 0; a pre-release is older than
 * its release.
 */
export function compareVersions(left: string, right: string): number {
  const [leftCore = "", leftPre] = splitOnce(left, "-");
  const [rightCore = "", rightPre] = splitOnce(right, "-");
  const leftParts = numbersOf(leftCore);
  const rightParts = numbersOf(rightCore);
  for (let index = 0; index < 3; index++) {
    const difference = (leftParts[index] ?? 0) - (rightParts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (leftPre === rightPre) return 0;
  if (leftPre === undefined) return 1;
  if (rightPre === undefined) return -1;
  return leftPre < rightPre ? -1 : 1;
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function numbersOf(core: string): readonly number[] {
  return core.replace(/^v/, "").split(".").map((part) => /^\d{1,9}$/.test(part) ? Number(part) : 0);
}
