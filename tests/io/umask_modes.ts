/** Makes files and folders under a umask, in a process of its own; prints asked and found modes. */

import { createFiles } from "../../src/io/files.ts";

const { folder, umask } = JSON.parse(Deno.args[0] ?? "{}") as { folder: string; umask: number };
const files = createFiles();
const bytes = new TextEncoder().encode("x");
const modes: [string, number, number | undefined][] = [];
const look = async (name: string, asked: number): Promise<void> => {
  modes.push([name, asked, (await files.stat(`${folder}/${name}`))?.mode]);
};
Deno.umask(umask);
for (const mode of [0o600, 0o644, 0o755]) {
  await files.write(`${folder}/w`, bytes, { mode });
  await look("w", mode);
  await files.create(`${folder}/c`, bytes, { mode });
  await look("c", mode);
  await files.remove(`${folder}/c`);
}
await files.makeDir(`${folder}/a/b/c`, 0o750);
for (const made of ["a", "a/b", "a/b/c"]) await look(made, 0o750);
await files.remove(`${folder}/a`);
console.log(JSON.stringify(modes));
