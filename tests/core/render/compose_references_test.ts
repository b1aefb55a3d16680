import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parse } from "@std/yaml";
import { composeReferences } from "../../../src/core/render/compose_references.ts";
import { AgentError } from "../../../src/errors.ts";

/** Gives [required, all] of a compose file, sorted. */
function namesOf(text: string): [string[], string[]] {
  const { required, all } = composeReferences([{ path: "c.yml", document: parse(text) }]);
  return [[...required.keys()].sort(), [...all].sort()];
}

Deno.test("composeReferences() finds what compose fills in, wherever it stands", () => {
  const text = `
# \${IN_COMMENT}
x-any: "\${X_FIELD}"
services:
  web:
    image: "img:\${TAG:-1}" # \${TRAILING}
    profiles: [off]
    environment:
      - PASSED
      - "SET=\${PLAIN}"
      - PASSED_EMPTY=
    labels:
      "\${KEY}": $NAMED
    command: ["$$NOT", '$1 $ ', "\${A:-\${NESTED}}"]
  job:
    environment: {NULLED: , GIVEN: "", DEEP: "\${COMPOSE_PROJECT_NAME}"}
volumes: {v: {name: "\${VOLUME:?say which}"}}
`;
  const [required, all] = namesOf(text);
  assertEquals(required, ["NAMED", "NESTED", "PLAIN", "VOLUME", "X_FIELD"]);
  assertEquals(all, [
    "A",
    "NAMED",
    "NESTED",
    "NULLED",
    "PASSED",
    "PLAIN",
    "TAG",
    "VOLUME",
    "X_FIELD",
  ]);
});

Deno.test("composeReferences() keeps the message of a variable that a file insists on", () => {
  const texts = ["${V}", "${V:?say which}", "${V}"];
  const { required } = composeReferences([{ path: "a.yml", document: texts }]);
  assertEquals([...required], [["V", "say which"]]);
});

Deno.test("composeReferences() names every form that compose refuses, with file and key", () => {
  const document = { services: { a: { image: "${A.B}", command: ["ok", "x${"] } } };
  const error = assertThrows(() => composeReferences([{ path: "c.yml", document }]), AgentError);
  assertEquals(error.code, "COMPOSE_FILE_INVALID");
  assertEquals(
    error.message,
    "c.yml: services.a.image: ${A.B} is no form that compose knows; " +
      "c.yml: services.a.command.1: ${ names no variable",
  );
});

Deno.test("composeReferences() needs the variables that given configs and secrets are made of", () => {
  const [required, all] = namesOf(`
secrets: {a: {environment: TOKEN}, b: {file: ./b}, c: , d: {environment: NOBODYS}}
configs: {d: {environment: CONFIG}, a: {environment: NOBODYS_TOO}}
services: {web: {environment: {environment: X}, secrets: [a]}, job: {configs: [{source: d}]}}
`);
  assertEquals([required, all], [["CONFIG", "TOKEN"], ["CONFIG", "TOKEN"]]);
});

Deno.test("composeReferences() leaves a default with braces to compose, which takes it", () => {
  assertEquals(namesOf("a: '${CFG:-{}}'"), [[], ["CFG"]]);
});

Deno.test("composeReferences() looks at an alias once, and at no file deeper than 200 levels", () => {
  const bomb = ["a: &a0 [x, '${V}']"];
  for (let level = 1; level < 40; level++) {
    bomb.push(`b${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`);
  }
  assertEquals(namesOf(bomb.join("\n"))[0], ["V"]);
  let deep: unknown = "${V}";
  for (let level = 0; level < 10_000; level++) deep = [deep];
  const error = assertThrows(
    () => composeReferences([{ path: "c.yml", document: deep }]),
    AgentError,
  );
  assertEquals(error.code, "COMPOSE_FILE_INVALID");
  assertStringIncludes(error.message, "200 levels");
});

Deno.test("composeReferences() takes whatever YAML can give", () => {
  for (const document of [null, 1, "x", [], {}, { services: null }, { services: { a: null } }]) {
    const { all } = composeReferences([{ path: "c.yml", document }]);
    assertEquals(all.size, 0);
  }
});

Deno.test("composeReferences() tells the first place that asks for a required name, bounded", () => {
  const { places } = composeReferences([
    { path: "a.yml", document: { services: { web: { image: "x:${TAG}", labels: ["${B:-d}"] } } } },
    { path: "b.yml", document: { services: { web: { image: "x:${TAG}", command: "${C}" } } } },
    { path: "c.yml", document: { ["k".repeat(5_000)]: "${D}" } },
  ]);
  assertEquals([...places.keys()], ["TAG", "C", "D"]);
  assertEquals(places.get("TAG"), "a.yml: services.web.image");
  assertEquals(places.get("C"), "b.yml: services.web.command");
  assertEquals(places.get("D")?.length, 200);
});
