import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { AgentError } from "../../src/errors.ts";
import { parseJson } from "../../src/model/json.ts";

const OPTIONS = { code: "TENANCY_PROTOCOL", what: "the reply" } as const;

function refusal(source: string | Uint8Array, maxDepth?: number): string {
  const options = maxDepth === undefined ? OPTIONS : { ...OPTIONS, maxDepth };
  const error = assertThrows(() => parseJson(source, options), AgentError);
  assertEquals(error.code, "TENANCY_PROTOCOL");
  assertEquals(error.cause, undefined);
  return error.message;
}

Deno.test("parseJson() gives what JSON.parse gives, for any value", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    const text = JSON.stringify(value);
    assertEquals(parseJson(text, OPTIONS), JSON.parse(text));
    assertEquals(parseJson(new TextEncoder().encode(`\ufeff${text}`), OPTIONS), JSON.parse(text));
  }));
});

Deno.test("parseJson() refuses with the caller's code and name, and quotes nothing", () => {
  assertEquals(refusal("{canary"), "the reply is not JSON");
  assertEquals(refusal(""), "the reply is not JSON");
  assertEquals(refusal(new Uint8Array([0x22, 0xff, 0x22])), "the reply is not UTF-8");
  assertEquals(refusal('{"a":1}x'), "the reply is not JSON");
});

Deno.test("parseJson() refuses a key that one object names twice, however it is spelled", () => {
  const twice = "the reply names a key twice";
  assertEquals(refusal('{"a":1,"a":2}'), twice);
  assertEquals(refusal('[{"b":{"a" :1,"x":[{"a":1}], "\\u0061"\n:2}}]'), twice);
  assertEquals(refusal('{"__proto__":1,"__proto__":2}'), twice);
  const fine = '{"a":{"a":"a"},"b":[{"a":1},{"a":"a\\":\\\\"}],"\\"a":1,"a:":"b","":{"":0}}';
  assertEquals(parseJson(fine, OPTIONS), JSON.parse(fine));
});

Deno.test("parseJson() refuses what nests too deeply, without using the stack for it", () => {
  assertEquals(refusal("[".repeat(5_000_000)), "the reply nests deeper than 64 levels");
  assertEquals(refusal('{"a":'.repeat(1_000_000)), "the reply nests deeper than 64 levels");
  assertEquals(refusal("[[[1]]]", 2), "the reply nests deeper than 2 levels");
  assertEquals(parseJson("[[1],[2],[3]]", { ...OPTIONS, maxDepth: 2 }), [[1], [2], [3]]);
  // Brackets inside strings are no levels.
  assertEquals(parseJson('["[[[\\"[[["]', { ...OPTIONS, maxDepth: 1 }), ['[[["[[[']);
});

Deno.test("parseJson() gives a value or its code for any text at all", () => {
  const unit = fc.constantFrom(...'{}[]",:\\u0061 \ntrue1.5e\0');
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit }), fc.uint8Array()), (source) => {
      try {
        parseJson(source, OPTIONS);
      } catch (error) {
        assert(error instanceof AgentError);
        assertStringIncludes(error.message, "the reply");
      }
    }),
    { numRuns: 5_000 },
  );
});
