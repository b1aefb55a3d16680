const SNAKE_CASE = /^[a-z0-9]+(?:_[a-z0-9]+)*(?:\.[a-z0-9]+)+$/;

/** `monky/snake-case-file`: file names are snake_case, whatever they hold. */
export const snakeCaseFile: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    return {
      Program(): void {
        const name = context.filename.replaceAll("\\", "/").split("/").at(-1) ?? "";
        if (SNAKE_CASE.test(name)) return;
        const better = name
          .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
          .replace(/[-_\s]+/g, "_")
          .replace(/^_+|_+(?=\.)/g, "")
          .toLowerCase();
        context.report({
          range: [0, 1],
          message: `Call this file "${better}": names are snake_case`,
        });
      },
    };
  },
};
