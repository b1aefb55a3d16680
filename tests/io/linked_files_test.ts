/** Paths of the config that are links, under the grants that the config yields and no more. */

import { assertEquals } from "@std/assert";

Deno.test("field: a linked config and a linked folder are used, and a planted link is not, under grants that name only the links", async () => {
  const folder = await Deno.makeTempDir({ prefix: "linked_" });
  try {
    await Deno.mkdir(`${folder}/other disk`);
    await Deno.writeTextFile(`${folder}/real.yaml`, "env_id: x");
    await Deno.symlink("real.yaml", `${folder}/config.yaml`);
    await Deno.symlink(`${folder}/other disk`, `${folder}/state`);
    await Deno.symlink(`${folder}/real.yaml`, `${folder}/other disk/link`);
    const paths = [`${folder}/config.yaml`, `${folder}/state`];
    const script = new URL("./read_linked.ts", import.meta.url).href;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-q", "--no-check", "--no-prompt", "--no-remote"],
        ...[`--allow-read=${paths.join(",")}`, `--allow-write=${paths[1]}`, script, ...paths],
      ],
      env: { NO_COLOR: "1" },
    }).output();
    const told = new TextDecoder().decode(stdout);
    assertEquals(
      told,
      `["env_id: x","kept","FILE_UNREADABLE",${0o640}]\n`,
      new TextDecoder().decode(stderr),
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
