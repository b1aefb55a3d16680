/** By what a file is known to be the same as before, on a real file system. */

import { assert, assertEquals } from "@std/assert";
import { createFiles } from "../../src/io/files.ts";

const files = createFiles();

Deno.test("a file's identity stays until the file is changed, whatever times it is given", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/a`;
    const identity = async (): Promise<string | undefined> => (await files.stat(path))?.identity;
    await Deno.writeTextFile(path, "one", { mode: 0o644 });
    const past = new Date("2020-01-01T00:00:00Z");
    await Deno.utime(path, past, past);
    const before = await identity();
    await Deno.readTextFile(path);
    assertEquals(await identity(), before);

    // A change within the same second, made to look as if there had been none.
    await Deno.writeTextFile(`${folder}/b`, "two");
    await Deno.utime(`${folder}/b`, past, past);
    await Deno.rename(`${folder}/b`, path);
    const replaced = await identity();
    assert(replaced !== before, "another file in its place");

    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await Deno.writeTextFile(path, "six");
    await Deno.utime(path, past, past);
    const written = await identity();
    assert(written !== replaced, "other content");

    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await Deno.chmod(path, 0o755);
    assert(await identity() !== written, "another mode");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
