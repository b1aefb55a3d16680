/** Reads and writes through links under the grants that a config's paths give: see linked_files_test.ts. */

import { createFiles } from "../../src/io/files.ts";

const [config = "", folder = ""] = Deno.args;
const files = createFiles();
const bytes = new TextEncoder().encode("kept");
await files.write(`${folder}/state.json`, bytes, { mode: 0o640 });
await files.create(`${folder}/new`, bytes, { mode: 0o600 });
const texts = [
  await files.read(config, 100, { followLink: true }),
  await files.read(`${folder}/state.json`, 100),
  await files.read(`${folder}/link`, 100).catch((thrown) => new TextEncoder().encode(thrown.code)),
];
const mode = (await files.stat(`${folder}/state.json`))?.mode;
console.log(
  JSON.stringify([...texts.map((each) => new TextDecoder().decode(each ?? undefined)), mode]),
);
