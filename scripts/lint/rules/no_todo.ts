const MARK = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** `monky/no-todo`: what is left to do is done, or written down where it is planned. */
export const noTodo: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    return {
      Program(): void {
        for (const comment of context.sourceCode.getAllComments()) {
          const mark = MARK.exec(comment.value)?.[0];
          if (mark === undefined) continue;
          context.report({
            range: comment.range,
            message: `Do it now or open an issue, and say in the comment what is: no ${mark} here`,
          });
        }
      },
    };
  },
};
