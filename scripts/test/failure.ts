/**
 * What failed, said once more at the end of a run: whoever has only the end of a long log finds
 * there which test it was, and why.
 */

/** A test or a step that failed. */
export interface Failure {
  /** Its file, from the project's folder. */
  readonly file: string;
  /** Its name, behind those of the tests it is a step of; empty when the file gave no results. */
  readonly name: string;
  /** What it threw. */
  readonly message: string;
}

/** More is in the output of the test itself. */
const MAX_SHOWN = 20;
const MAX_LINES = 30;
const MAX_LINE_CHARS = 300;

/** Takes a case of the results that Deno writes as XML, which holds a failure, and gives that. */
export function failureOf(
  { file, name, body }: { readonly file: string; readonly name: string; readonly body: string },
): Failure {
  const text = /<(?:failure|error)\b[^>]*>([\s\S]*?)<\//.exec(body)?.[1] ?? body;
  return { file, name: decodeXml(name), message: decodeXml(text).trim() };
}

/** Takes failures and gives them as lines, bounded; none when there are none. */
export function showFailures(failures: readonly Failure[]): readonly string[] {
  if (failures.length === 0) return [];
  const more = failures.length - MAX_SHOWN;
  return [
    "failed tests:",
    ...failures.slice(0, MAX_SHOWN).flatMap(showFailure),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function showFailure({ file, name, message }: Failure): string[] {
  const lines = message.split("\n").slice(0, MAX_LINES);
  return [
    `  ${file}${name === "" ? "" : `: ${name}`}`,
    ...lines.map((line) => `      ${line.slice(0, MAX_LINE_CHARS)}`),
  ];
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function decodeXml(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
