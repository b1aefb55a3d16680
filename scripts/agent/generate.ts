/**
 * Writes what is made from the table of config keys: packaging/config.example.yaml and the table in
 * docs/CONFIG.md. Run it after a change of src/config/schema.ts; a test fails until then.
 */

import { replaceDocsTable } from "../../src/config/docs_table.ts";
import { renderExample } from "../../src/config/example.ts";

const ROOT = decodeURIComponent(new URL("../../", import.meta.url).pathname);
const DOCS = `${ROOT}docs/CONFIG.md`;

Deno.writeTextFileSync(`${ROOT}packaging/config.example.yaml`, renderExample());
const docs = replaceDocsTable(Deno.readTextFileSync(DOCS));
if (docs === null) throw new Error(`the marks of the table are missing in ${DOCS}`);
Deno.writeTextFileSync(DOCS, docs);
