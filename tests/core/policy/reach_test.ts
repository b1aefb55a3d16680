import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { findingName, refuseFindings } from "../../../src/core/policy/finding.ts";
import { type Reached, reachFiles } from "../../../src/core/policy/reach.ts";
import { AgentError } from "../../../src/errors.ts";
import { HOSTILE_FILES } from "./hostile_files.ts";
import { UNREADABLE } from "./unreadable_files.ts";

/** Reaches a bundle given as texts by path. */
export function reach(files: Readonly<Record<string, string>>): Reached {
  return reachFiles({
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path] ?? "",
  });
}

const names = (reached: Reached): readonly string[] => [
  ...new Set(reached.findings.map(findingName)),
];

for (const { name, files, findings } of HOSTILE_FILES) {
  Deno.test(`before compose sees it: ${name}`, () => {
    const reached = reach(files);
    assertEquals(names(reached), [...new Set(findings)]);
    const refusal = refuseFindings(reached.findings, { allow: [], mask: (text) => text });
    for (const each of findings) assert(refusal?.message.includes(each), refusal?.message);
    const allowed = refuseFindings(reached.findings, { allow: findings, mask: (text) => text });
    assertEquals(
      allowed?.code,
      findings.some((each) => /^bind_missing/.test(each)) ? "BIND_MISSING" : undefined,
    );
  });
}

for (const [name, files, says] of UNREADABLE) {
  Deno.test(`a compose file that is not read at all: ${name}`, () => {
    const error = assertThrows(() => reach(files), AgentError);
    assertEquals(error.code, "COMPOSE_FILE_INVALID");
    assertMatch(error.message, says);
  });
}

Deno.test("files of the bundle are followed, nested and in circles", () => {
  const reached = reach({
    "docker-compose.yml": `include:
  - a/a.yml
  - {path: [b.yml, a/c.yml], project_directory: a}
services:
  web: {image: x, env_file: [./one.env, {path: none.env, required: false}], label_file: l}
  job: {extends: {file: docker-compose.yml, service: web}}
  alias: {extends: web}
configs: {c: {file: ./conf/c}, d: {content: x}, e: {environment: E}, f: {external: true}}
secrets: {s: {file: conf/../s}}
`,
    "a/a.yml": "include: [../docker-compose.yml, ./a.yml]\nservices: {a: {env_file: own.env}}\n",
    "a/own.env": "",
    "a/c.yml": "services: {c: {image: x, env_file: own.env}}\n",
    "b.yml":
      "services: {b: {image: x, extends: {file: ../base.yml, service: x}, env_file: own.env}}\n",
    "base.yml": "services: {x: {image: x}}\n",
    "one.env": "",
    "l": "",
    "conf/c": "",
    "s": "",
  });
  assertEquals(names(reached), []);
  assertEquals(reached.documents.map(({ path }) => path), [
    "docker-compose.yml",
    "a/a.yml",
    "b.yml",
    "a/c.yml",
    "base.yml",
  ]);
  assertEquals(reached.reads, [
    "a/a.yml",
    "a/c.yml",
    "a/own.env",
    "b.yml",
    "base.yml",
    "docker-compose.yml",
    "l",
    "none.env",
    "one.env",
  ]);
});

Deno.test("references of merged maps are seen as compose sees them", () => {
  const { documents } = reach({
    "docker-compose.yml":
      "x-e: &e {NAME: }\nservices: {web: {image: x, environment: {<<: *e, OTHER: 1}}}\n",
  });
  assertEquals(documents[0]?.document["services"], {
    web: { image: "x", environment: { NAME: null, OTHER: 1 } },
  });
});
