/** Replacing a file in a folder of others, with grants for it and its temporary alone. */

import { assertEquals, assertStringIncludes } from "@std/assert";

const SCRIPT = `
import { createFiles } from "${new URL("../../src/io/files.ts", import.meta.url).href}";
const [folder] = Deno.args;
const through = folder + "/.m.prom.tmp";
const files = createFiles();
for (const text of ["one", "two"]) {
  await files.write(folder + "/m.prom", new TextEncoder().encode(text), { mode: 0o644, through });
}
try {
  await files.write(folder + "/m.prom", new Uint8Array(), { mode: 0o644 });
} catch (error) { console.log(error.code); }
`;

Deno.test("a file is replaced through a named temporary with no other grant in its folder", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/run.ts`, SCRIPT);
    // What a tick that was killed in the middle of a write has left.
    await Deno.writeTextFile(`${folder}/.m.prom.tmp`, "half");
    const two = `${folder}/m.prom,${folder}/.m.prom.tmp`;
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const flags = ["--no-prompt", "--no-check", `--allow-read=${two}`, `--allow-write=${two}`];
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--config", config, ...flags, `${folder}/run.ts`, folder],
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertStringIncludes(new TextDecoder().decode(stdout), "PERMISSION_MISSING");
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
    assertEquals(names, ["m.prom", "run.ts"]);
    assertEquals(await Deno.readTextFile(`${folder}/m.prom`), "two");
    assertEquals(((await Deno.stat(`${folder}/m.prom`)).mode ?? 0) & 0o777, 0o644);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
