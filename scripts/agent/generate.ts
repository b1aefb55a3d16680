/**
 * Writes what is made from the tables in the code: from that of the config keys (src/config/schema.ts)
 * packaging/config.example.yaml and the table in docs/CONFIG.md; from that of the commands
 * (src/cli/command_table.ts) the man page, the completions and a part of docs/COMMANDS.md; from that
 * of the codes (src/catalogue.ts) the tables in docs/OPERATIONS.md. Run it after a change of any;
 * tests fail until then.
 */

import { replaceCommandDocs } from "../../src/cli/command_docs.ts";
import { completionScript } from "../../src/cli/completions.ts";
import { manPage } from "../../src/cli/man_page.ts";
import { replaceDocsTable } from "../../src/config/docs_table.ts";
import { renderExample } from "../../src/config/example.ts";
import { replaceCodeTables } from "../docs/code_tables.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);

function write(path: string, text: string): void {
  Deno.mkdirSync(`${ROOT}${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
  Deno.writeTextFileSync(`${ROOT}${path}`, text);
}

function rewrite(path: string, replace: (page: string) => string | null): void {
  const text = replace(Deno.readTextFileSync(`${ROOT}${path}`));
  if (text === null) throw new Error(`the marks of what is made are missing in ${path}`);
  write(path, text);
}

write("packaging/config.example.yaml", renderExample());
rewrite("docs/CONFIG.md", replaceDocsTable);
write("packaging/man/monky-deployd.8", manPage());
write("packaging/completions/monky-deployd.bash", completionScript("bash"));
write("packaging/completions/_monky-deployd", completionScript("zsh"));
write("packaging/completions/monky-deployd.fish", completionScript("fish"));
rewrite("docs/COMMANDS.md", replaceCommandDocs);
rewrite("docs/OPERATIONS.md", replaceCodeTables);
