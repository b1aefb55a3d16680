/** Field cases 15, 28 and 37: files that compose accepts and nobody should deploy. */

import { assertEquals, assertThrows } from "@std/assert";
import { findingName } from "../../../src/core/policy/finding.ts";
import { reachFiles } from "../../../src/core/policy/reach.ts";
import { composeReferences } from "../../../src/core/render/compose_references.ts";
import { AgentError } from "../../../src/errors.ts";
import { filePathProblem } from "../../../src/model/path.ts";

const CASES = new URL("../../cases/", import.meta.url);
const read = (path: string): string => Deno.readTextFileSync(new URL(path, CASES));
const reach = (text: string): ReturnType<typeof reachFiles> =>
  reachFiles({ has: (path) => path === "docker-compose.yml", text: () => text });

const READS_HOST: Readonly<Record<string, readonly string[]>> = {
  "1-env_file.yml": ["env_file:../../../../etc/shadow"],
  "2-include-remote.yml": ["include:remote"],
  "3-secret.yml": ["secrets.file:/etc/shadow"],
  // Binds are judged on what compose resolves: tests/real/policy_test.ts has this very line.
  "4-bind.yml": [],
  "5-extends.yml": ["extends.file:../../other/docker-compose.yml"],
};

for (const [file, findings] of Object.entries(READS_HOST)) {
  Deno.test(`case 37: ${file}: ${findings.join(", ") || "for the second pass"}`, () => {
    const text = read(`37-compose-reads-host-files/${file}`);
    assertEquals(reach(text).findings.map(findingName), findings);
  });
}

Deno.test("case 37: names that leave the bundle or are the agent's own are no names of files", () => {
  const names = read("37-compose-reads-host-files/6-bundle-names.txt").trim().split("\n");
  const refused = names.filter((name) => filePathProblem(name) !== null);
  // A file called state.json in a bundle is nobody's state: that lies outside deploy_dir.
  assertEquals(refused, names.filter((name) => name !== "state.json"));
});

for (const file of ["4.yml", "5.yml", "6-duplicate-key.yml"]) {
  Deno.test(`case 28: ${file} is refused before compose sees it`, () => {
    const text = read(`28-profile-dependency-and-empty-set/${file}`);
    assertEquals(assertThrows(() => reach(text), AgentError).code, "COMPOSE_FILE_INVALID");
  });
}

Deno.test("case 15: a variable that only an included file asks for counts too", () => {
  const files: Readonly<Record<string, string>> = {
    "docker-compose.yml": "include: [a.yml]\n",
    "a.yml": read("15-unset-only-warns/docker-compose.yml"),
  };
  const { documents } = reachFiles({
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path] ?? "",
  });
  assertEquals([...composeReferences(documents).required.keys()], ["UNSET_ONE"]);
});
