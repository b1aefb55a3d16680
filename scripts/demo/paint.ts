/** Colours and lines for a person: paint only where there is a terminal, wrap between words. */

/** How a text looks. */
export type Style = "bold" | "dim" | "label" | "good" | "bad" | "warn";

const CODES: Readonly<Record<Style, string>> = {
  bold: "1",
  dim: "2",
  label: "36",
  good: "32",
  bad: "31",
  warn: "33",
};

/** Gives a text its look. */
export type Paint = (style: Style, text: string) => string;

/** Takes whether colours are wanted; gives what paints, or leaves everything as it is. */
export function makePaint(isColoured: boolean): Paint {
  return (style, text) => isColoured ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
}

/** Takes a line of words; gives lines of at most `width`, later ones behind `hang` spaces. */
export function wrap(
  text: string,
  { width, hang = 0 }: { readonly width: number; readonly hang?: number },
): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width || line.trim() === "") {
      line = longer;
      continue;
    }
    lines.push(line);
    line = `${" ".repeat(hang)}${word}`;
  }
  return [...lines, line];
}
