/**
 * One claim of a scene: what should be true, and what was seen when it is not. Claims are data, so
 * that a scene can tell all of them instead of stopping at the first.
 */

/** A claim that was looked at. */
export interface Check {
  /** What should be true, as a sentence for a person. */
  readonly claim: string;
  /** Null when it is true, else both sides: `expected 0, saw 1`. */
  readonly problem: string | null;
  /** The scene's other lines tell it already: worth a line of its own only when it is not true. */
  readonly isEvident?: boolean;
}

/** Takes a claim with both sides; they must be equal as JSON, keys in the same order. */
export function check(
  claim: string,
  sides: { readonly expected: unknown; readonly seen: unknown },
): Check {
  const [expected, seen] = [JSON.stringify(sides.expected), JSON.stringify(sides.seen)];
  return { claim, problem: expected === seen ? null : `expected ${expected}, saw ${seen}` };
}

/** Takes a claim and a text that must hold a part; quotes the text when it does not. */
export function checkHolds(
  claim: string,
  sides: { readonly part: string; readonly text: string },
): Check {
  const { part, text } = sides;
  const problem = `expected ${JSON.stringify(part)} in it, saw ${JSON.stringify(text)}`;
  return { claim, problem: text.includes(part) ? null : problem };
}

/** Takes what went wrong where nothing should; gives the check that tells it. */
export function checkFailed(claim: string, thrown: unknown): Check {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return { claim, problem: `expected no error, saw: ${text}` };
}
