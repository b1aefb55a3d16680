/** Writes a file over and over until it is killed; each content is one digit, many times. */

import { createFiles } from "../../src/io/files.ts";

const files = createFiles();
const [path = ""] = Deno.args;
for (let round = 0; round < 100_000; round += 1) {
  const content = new TextEncoder().encode(String(round % 10).repeat(100_000));
  await files.write(path, content, { mode: 0o600 });
  if (round === 2) console.log("writing");
}
