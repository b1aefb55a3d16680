/** A file this long holds more than one thing. */
export const MAX_LINES = 300;

/** Takes a text and gives its number of lines; a last line break begins no line. */
export function countLines(text: string): number {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.length - 1 : lines.length;
}

/** `monky/file-length`: a file holds one thing. */
export const fileLength: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    return {
      Program(): void {
        const lines = countLines(context.sourceCode.text);
        if (lines <= MAX_LINES) return;
        context.report({
          range: [0, 1],
          message: `${lines} lines, ${MAX_LINES} are allowed: move one of the things this file ` +
            "does to a file of its own",
        });
      },
    };
  },
};
