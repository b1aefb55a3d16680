import { assertEquals } from "@std/assert";
import { reachFiles } from "../../../src/core/policy/reach.ts";
import { envFileReferences } from "../../../src/core/render/env_file_references.ts";

const ROWS: readonly (readonly [
  name: string,
  texts: readonly string[],
  required: readonly string[],
  all: readonly string[],
])[] = [
  ["a plain one", ["A=${NOPE}\n"], ["NOPE"], ["NOPE"]],
  ["the tail of a password", ["PW=corr3ct$battery\n"], ["battery"], ["battery"]],
  ["a password in single quotes", ["PW='corr3ct$battery'\n"], [], []],
  ["one with a default", ["A=${NOPE:-x}\n"], [], ["NOPE"]],
  ["one that the file itself defines", ["HOST=db\nURL=http://$HOST/\n"], [], ["HOST"]],
  ["one that another file defines", ["HOST=db\n", "URL=$HOST\n"], [], ["HOST"]],
  ["a comment", ["# ${NOPE}\nA=1 # ${NOPE}\n"], [], []],
  ["a file that is no env file", ["what is this\nA=${B}\n"], [], []],
];

for (const [name, texts, required, all] of ROWS) {
  Deno.test(`field: what an env_file asks for: ${name}`, () => {
    const names = envFileReferences(texts);
    assertEquals([[...names.required.keys()], [...names.all]], [required, all]);
  });
}

Deno.test("field: the env_files that compose fills in are those that are there and not raw", () => {
  const compose = `services:
  a: {image: x, env_file: [a.env, {path: raw.env, format: raw}, {path: no.env, required: false}]}
  b: {image: x, label_file: [l.env], env_file: a.env}
`;
  const reached = reachFiles({ has: (path) => path !== "no.env", text: () => compose });
  assertEquals(reached.envFiles, ["a.env"]);
});
