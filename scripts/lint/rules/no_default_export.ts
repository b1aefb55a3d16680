const MESSAGE = "Export it by its name: a default export gets another name in every file";

/** `monky/no-default-export`: what is exported has one name. */
export const noDefaultExport: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    return {
      ExportDefaultDeclaration(node): void {
        context.report({ node, message: MESSAGE });
      },
      ExportSpecifier(node): void {
        const { exported } = node;
        const name = exported.type === "Identifier" ? exported.name : exported.value;
        if (name === "default") context.report({ node, message: MESSAGE });
      },
    };
  },
};
