import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  encodeVariable,
  encodeVariables,
  MAX_ENVIRONMENT_BYTES,
  MAX_VARIABLE_BYTES,
} from "../../../src/core/render/env_encode.ts";
import { AgentError } from "../../../src/errors.ts";
import { readEnv } from "./env_reader.ts";

Deno.test("encodeVariable() escapes what compose would change, and nothing else", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", 'V=""'],
    ["a b", 'V="a b"'],
    ["$$ ${X} $X", 'V="\\$\\$ \\${X} \\$X"'],
    ['a"b\\', 'V="a\\"b\\\\"'],
    ["a\r\nb", 'V="a\\r\\nb"'],
    ["'`#\t\u00a0\u2028", 'V="\'`#\t\u00a0\u2028"'],
  ];
  for (const [value, line] of rows) assertEquals(encodeVariable("V", value), line);
});

Deno.test("encodeVariables() is read back exactly by an independent reader, for any values", () => {
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,20}$/);
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."\\\"'$\n\r #`{}=nr") }),
  ).filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (pairs) => {
      const variables = new Map(pairs);
      assertEquals(readEnv(encodeVariables(variables)), variables);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("encodeVariables() refuses values that no environment can carry, each by name", () => {
  const error = assertThrows(
    () => encodeVariables(new Map([["A", "x\0y"], ["B", "fine"], ["C", "\ud800"]])),
    AgentError,
  );
  assertEquals(error.code, "ENV_VALUE_INVALID");
  assertEquals(error.message, "A holds a NUL byte; C is not valid Unicode");
});

Deno.test("encodeVariables() takes a variable of 131,071 bytes and refuses one more", () => {
  const room = MAX_VARIABLE_BYTES - "NAME=".length;
  encodeVariables(new Map([["NAME", "x".repeat(room)]]));
  // é is two bytes: sizes are bytes, not characters.
  const values = ["x".repeat(room + 1), "é".repeat(Math.ceil((room + 1) / 2))];
  for (const value of values) {
    const error = assertThrows(
      () => encodeVariables(new Map([["NAME", value], ["OTHER", value]])),
      AgentError,
    );
    assertEquals(error.code, "ENV_TOO_LARGE");
    assertStringIncludes(error.message, "NAME; OTHER");
  }
});

Deno.test("encodeVariables() refuses an environment that is too large as a whole", () => {
  const each = 100_000;
  const fitting = Math.floor(MAX_ENVIRONMENT_BYTES / (each + 20));
  const make = (count: number): Map<string, string> =>
    new Map(Array.from({ length: count }, (_, index) => [`V${10 + index}`, "x".repeat(each)]));
  encodeVariables(make(fitting));
  const error = assertThrows(() => encodeVariables(make(fitting + 2)), AgentError);
  assertEquals(error.code, "ENV_TOO_LARGE");
  assertStringIncludes(error.message, "the largest are V10, V11, V12, V13, V14");
});
