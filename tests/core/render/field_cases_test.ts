import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parse } from "@std/yaml";
import { composeReferences } from "../../../src/core/render/compose_references.ts";
import { planEnv } from "../../../src/core/render/env_plan.ts";
import { parseTemplate } from "../../../src/core/render/template.ts";
import { AgentError } from "../../../src/errors.ts";
import { readEnv } from "./env_reader.ts";
import { caseText, caseValues, manifestOf, NO_REFERENCES, rendered } from "./from_case.ts";

/** Cases whose secrets need no template; those with an `expect.env` must give just that file. */
const SECRETS: readonly { readonly name: string; readonly hasExpected: boolean }[] = [
  { name: "01-dollar-name-blank", hasExpected: true },
  { name: "02-dollar-silent-damage", hasExpected: false },
  { name: "04-single-quote-swallows-next-line", hasExpected: true },
  { name: "05-quotes-hash-token", hasExpected: true },
  { name: "06-multiline-pem", hasExpected: true },
  { name: "08-whitespace-trimmed", hasExpected: true },
];

for (const { name, hasExpected } of SECRETS) {
  Deno.test(`case ${name.slice(0, 2)}: ${name.slice(3)}: every secret arrives unchanged`, async () => {
    const values = await caseValues(`${name}/secrets.json`);
    const text = rendered(null, values);
    assertEquals(readEnv(text), new Map(Object.entries(values)));
    if (hasExpected) assertEquals(text, await caseText(`${name}/expect.env`));
    // The same through a template that refers to each.
    const template = Object.keys(values).map((key) => `${key}=\${${key}}\n`).join("");
    assertEquals(rendered(template, values), text);
  });
}

Deno.test("case 04: a template whose quote swallows the next line is refused by its line", async () => {
  const template = await caseText("04-single-quote-swallows-next-line/bad.env");
  const error = assertThrows(() => parseTemplate(template), AgentError);
  assertEquals(error.code, "TEMPLATE_INVALID");
  assertStringIncludes(error.message, "line 1: has text after its closing quote");
});

Deno.test("case 09: a template's line ends are not data, a secret's are", async () => {
  const values = await caseValues("09-crlf-template/secrets.json");
  const text = rendered("TAG=1.2\r\nPW=${PW}\r\n# c\r\n", values);
  assertEquals(text, await caseText("09-crlf-template/expect.env"));
});

Deno.test("case 12: every reserved name is refused at once, in template and manifest", async () => {
  const template = parseTemplate(await caseText("12-reserved-names/env.rendered"));
  const plan = planEnv({
    template,
    manifest: manifestOf(["LD_PRELOAD", "BUILDKIT_HOST", "PATHS", "MY_HOME"]),
    compose: NO_REFERENCES,
  });
  assertEquals(plan.reserved, [
    "BUILDKIT_HOST",
    "COMPOSE_PROFILES",
    "COMPOSE_PROJECT_NAME",
    "DOCKER_HOST",
    "HOME",
    "LD_PRELOAD",
    "PATH",
  ]);
});

Deno.test("case 13: every supported form gives what compose gives", async () => {
  const values = await caseValues("13-placeholder-syntax/secrets.json");
  const text = rendered(await caseText("13-placeholder-syntax/forms.env.template"), values);
  const expected = await caseValues("13-placeholder-syntax/expect.json");
  const got = readEnv(text);
  for (const [name, value] of Object.entries(expected)) assertEquals(got.get(name), value, name);
});

Deno.test("case 13: every other form is refused by name", async () => {
  const text = await caseText("13-placeholder-syntax/must-refuse.txt");
  const forms = text.split("\n").filter((line) => line !== "" && !line.startsWith("${R:?"));
  assertEquals(forms.length, 6);
  for (const form of forms) {
    const error = assertThrows(() => parseTemplate(`OK=1\nA=x${form}`), AgentError, "", form);
    assertEquals(error.code, "TEMPLATE_INVALID", form);
    assertStringIncludes(error.message, `line 2: ${form}`);
  }
});

Deno.test("case 13: a variable that the template insists on is refused with its message", () => {
  const plan = planEnv({
    template: parseTemplate("A=${R:?need R}\nB=${Q}"),
    manifest: manifestOf([]),
    compose: NO_REFERENCES,
  });
  assertEquals(plan.unresolved, ["Q", "R (need R)"]);
  const error = assertThrows(() => rendered("A=${R:?need R}", { R: "" }), AgentError);
  assertEquals(error.code, "ENV_INCOMPLETE");
  assertEquals(error.message, "unresolved: R (need R)");
});

Deno.test("case 13: a value that holds a reference is never expanded again", async () => {
  const { template, secrets, container } = JSON.parse(
    await caseText("13-placeholder-syntax/no-second-pass.json"),
  );
  const got = readEnv(rendered(template, secrets));
  for (const [name, value] of Object.entries(container)) assertEquals(got.get(name), value);
});

Deno.test("case 14: a comment is no reference, a hash inside a value is no comment", async () => {
  const unresolved = async (file: string): Promise<readonly string[]> => {
    const template = parseTemplate(await caseText(`14-comments-versus-references/${file}`));
    return planEnv({ template, manifest: manifestOf([]), compose: NO_REFERENCES }).unresolved;
  };
  assertEquals(await unresolved("1-3-no-reference.env.template"), []);
  assertEquals(await unresolved("4-6-references.env.template"), ["VAR"]);
});

Deno.test("case 15: a variable that only a compose file asks for is unresolved", async () => {
  const document = parse(await caseText("15-unset-only-warns/docker-compose.yml"));
  const compose = composeReferences([{ path: "docker-compose.yml", document }]);
  const unresolved = (template: string | null, names: readonly string[]): readonly string[] =>
    planEnv({
      template: template === null ? null : parseTemplate(template),
      manifest: manifestOf(names),
      compose,
    }).unresolved;
  assertEquals(unresolved(null, []), ["UNSET_ONE"]);
  assertEquals(unresolved("UNSET_ONE=x", []), []);
  assertEquals(unresolved(null, ["UNSET_ONE"]), []);
});

Deno.test("case 17: an error about a template quotes none of its values", async () => {
  const secrets = (await caseText("17-secret-text-in-errors/must-not-appear.txt")).trim().split(
    "\n",
  );
  for (const file of ["1-pem-unquoted.env", "2-unterminated.env", "3-template.env"]) {
    const text = await caseText(`17-secret-text-in-errors/${file}`);
    const error = assertThrows(() => parseTemplate(text), AgentError, "", file);
    assertEquals(error.code, "TEMPLATE_INVALID", file);
    assert(secrets.every((secret) => !error.message.includes(secret)), error.message);
    assertEquals(error.cause, undefined);
  }
});

Deno.test("case 17: as secrets the same texts render, and no error can arise from them", async () => {
  for (const file of ["1-pem-unquoted", "2-unterminated", "3-template", "4-warning"]) {
    const value = await caseText(`17-secret-text-in-errors/${file}.env`);
    assertEquals(readEnv(rendered(null, { V: value })), new Map([["V", value]]));
  }
});
