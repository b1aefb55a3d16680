/** What ansible-lint, with yamllint in it, makes of the role. */

import { assertEquals } from "@std/assert";
import { findAnsible, readLab, sayOnStderr } from "../../scripts/lab/mod.ts";

Deno.test("ansible-lint has nothing to say about the role", async () => {
  const lab = await readLab();
  if (lab === null) throw new Error(`the lab is not up: run "deno task lab up"`);
  const ansible = await findAnsible(`${lab.dir}/cache`, "ansible-2.19", sayOnStderr);
  const home = await Deno.makeTempDir({ prefix: "ansible-lint-" });
  try {
    const { code, stdout, stderr } = await ansible.run(
      ["ansible-lint", "--offline", "--nocolor", "--strict", "--profile=production", "-q", "roles"],
      { cwd: new URL("../../packaging/ansible", import.meta.url).pathname, home },
    );
    assertEquals(stdout, "");
    assertEquals(code, 0, stderr);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
