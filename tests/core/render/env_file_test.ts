import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { renderEnv } from "../../../src/core/render/env_file.ts";
import { planEnv } from "../../../src/core/render/env_plan.ts";
import { parseTemplate } from "../../../src/core/render/template.ts";
import { AgentError } from "../../../src/errors.ts";
import { Secret } from "../../../src/model/secret.ts";
import { readEnv } from "./env_reader.ts";
import { manifestOf, NO_REFERENCES, rendered } from "./from_case.ts";

Deno.test("renderEnv() gives a secret: it prints as [redacted] and begins with its header", () => {
  const plan = planEnv({ template: null, manifest: manifestOf(["A"]), compose: NO_REFERENCES });
  const text = renderEnv(plan, new Map([["A", new Secret("canary")]]));
  assertEquals(`${text}`, "[redacted]");
  assertStringIncludes(text.reveal(), "# Written by monky-deployd for docker compose");
  assertEquals(text.reveal().split("\n").at(-2), 'A="canary"');
  assertEquals(renderEnv(plan, new Map([["A", new Secret("canary")]])).reveal(), text.reveal());
});

Deno.test("renderEnv() writes the template's variables first, then the manifest's own", () => {
  const text = rendered("X=a-${A}\n# c\nY='${A}'\n", { B: "b", A: "1\n2", C: "" });
  assertEquals(text, 'X="a-1\\n2"\nY="\\${A}"\nB="b"\nC=""\n');
});

Deno.test("renderEnv() names a value that no environment can carry, whichever way it comes in", () => {
  for (const template of [null, "X=a${A}"]) {
    const error = assertThrows(() => rendered(template, { A: "x\0" }), AgentError);
    assertEquals(error.code, "ENV_VALUE_INVALID");
    assertStringIncludes(error.message, template === null ? "A holds" : "X holds");
  }
});

Deno.test("renderEnv() does not grow without bound, whatever a template multiplies", () => {
  const value = "x".repeat(130_000);
  const templates = [
    `X=${"${A}".repeat(400_000)}`,
    Array.from({ length: 100_000 }, (_, index) => `X${index}=$A`).join("\n"),
  ];
  for (const template of templates) {
    const error = assertThrows(() => rendered(template, { A: value }), AgentError);
    assertEquals(error.code, "ENV_TOO_LARGE");
    // The second would come to 13 GB.
    const bytes = Number(/take (\d+) bytes/.exec(error.message)?.[1] ?? 0);
    assert(bytes < 5_000_000, error.message);
  }
});

Deno.test("a template of any text is refused with a code, or gives exactly its own variables", () => {
  const unit = fc.constantFrom(
    ..."AB=:${}-+?\"'\\#\n\r \t_x.1\0\u00a0",
    "${A",
    ":-",
    "A=",
    "export ",
  );
  const text = fc.oneof(fc.string({ unit, maxLength: 60 }), fc.string({ unit: "binary" }));
  const values = { A: "$B\n'\"\\", B: "" };
  fc.assert(
    fc.property(text, (template) => {
      try {
        const { assignments } = parseTemplate(template);
        const names = new Set([...assignments.map(({ name }) => name)]);
        const got = readEnv(rendered(template, values));
        for (const name of names) assert(got.has(name), name);
        for (const name of got.keys()) assert(names.has(name) || name === "A" || name === "B");
      } catch (error) {
        assert(error instanceof AgentError, String(error));
        assert(["TEMPLATE_INVALID", "ENV_INCOMPLETE", "ENV_VALUE_INVALID"].includes(error.code));
      }
    }),
    { numRuns: 5_000 },
  );
});
