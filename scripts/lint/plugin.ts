/**
 * The project's own lint rules, named in `deno.json`. Each message says what to do instead.
 *
 * @module
 */
import { fileLength } from "./rules/file_length.ts";
import { ioOnly } from "./rules/io_only.ts";
import { noDefaultExport } from "./rules/no_default_export.ts";
import { noTodo } from "./rules/no_todo.ts";
import { snakeCaseFile } from "./rules/snake_case_file.ts";

const plugin: Deno.lint.Plugin = {
  name: "monky",
  rules: {
    "file-length": fileLength,
    "io-only": ioOnly,
    "no-default-export": noDefaultExport,
    "no-todo": noTodo,
    "snake-case-file": snakeCaseFile,
  },
};

// deno-lint-ignore monky/no-default-export -- Deno finds a lint plugin by its default export
export default plugin;
