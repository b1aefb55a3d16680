import {
  assert,
  assertAlmostEquals,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreater,
  assertGreaterOrEqual,
  assertInstanceOf,
  AssertionError,
  assertLess,
  assertLessOrEqual,
  assertMatch,
  assertNotEquals,
  assertNotInstanceOf,
  assertNotMatch,
  assertNotStrictEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  fail,
  unreachable,
} from "@std/assert";
import { parseArgs } from "@std/cli/parse-args";
import { parse, stringify } from "@std/yaml";

/** Not one of the assertions under test: they cannot vouch for themselves. */
function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function throwsAssertion(what: string, run: () => void): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  must(thrown instanceof AssertionError, `${what} did not throw an AssertionError: ${thrown}`);
}

Deno.test("assertions pass on what holds", () => {
  assert(1);
  assertFalse("");
  assertExists(0);
  assertEquals({ a: [1, { b: new Date(0) }] }, { a: [1, { b: new Date(0) }] });
  assertEquals(new Map([["a", new Set([1, 2])]]), new Map([["a", new Set([2, 1])]]));
  assertEquals(new Uint8Array([1, 2]), new Uint8Array([1, 2]));
  assertEquals([NaN, 0], [NaN, -0]);
  assertEquals(Object.create(null), {});
  assertNotEquals<unknown>({ a: undefined }, {});
  assertNotEquals<unknown>([1, 2], [1, 2, 3]);
  assertNotEquals(new Error("a"), new Error("b"));
  assertNotEquals(/a/g, /a/);
  assertStrictEquals(NaN, NaN);
  assertNotStrictEquals({}, {});
  assertInstanceOf(new TypeError(), Error);
  assertNotInstanceOf({}, Date);
  assertStringIncludes("abc", "b");
  assertMatch("abc", /b/g);
  assertNotMatch("abc", /d/);
  assertGreater(2, 1);
  assertGreaterOrEqual(2, 2);
  assertLess(1, 2);
  assertLessOrEqual(2, 2);
  assertAlmostEquals(0.1 + 0.2, 0.3);
  assertArrayIncludes([1, { a: 1 }, 3], [{ a: 1 }, 3]);
  assertObjectMatch({ a: 1, b: { c: [1, 2], d: 3 } }, { b: { c: [1, 2] } });
});

Deno.test("assertions throw an AssertionError on what does not hold", () => {
  const table: Record<string, () => void> = {
    assert: () => assert(0),
    assertFalse: () => assertFalse(1),
    assertExists: () => assertExists(null),
    "assertEquals of a key": () => assertEquals<unknown>({ a: 1 }, { a: 1, b: undefined }),
    "assertEquals of a class": () => assertEquals<unknown>(new Date(0), {}),
    "assertEquals of a set": () => assertEquals(new Set([1]), new Set([2])),
    "assertEquals of a map": () => assertEquals(new Map([[1, 2]]), new Map([[1, 3]])),
    "assertEquals of bytes": () => assertEquals(new Uint8Array([1]), new Uint8Array([2])),
    "assertEquals of dates": () => assertEquals(new Date(0), new Date(1)),
    "assertEquals of a hole": () => assertEquals(new Array(1), [undefined]),
    assertNotEquals: () => assertNotEquals({ a: 1 }, { a: 1 }),
    assertStrictEquals: () => assertStrictEquals({}, {}),
    assertNotStrictEquals: () => assertNotStrictEquals(1, 1),
    assertInstanceOf: () => assertInstanceOf({}, Date),
    assertNotInstanceOf: () => assertNotInstanceOf(new Date(), Date),
    assertStringIncludes: () => assertStringIncludes("abc", "d"),
    assertMatch: () => assertMatch("abc", /d/),
    assertNotMatch: () => assertNotMatch("abc", /b/g),
    assertGreater: () => assertGreater(1, 1),
    assertGreaterOrEqual: () => assertGreaterOrEqual(0, 1),
    assertLess: () => assertLess(1, 1),
    assertLessOrEqual: () => assertLessOrEqual(NaN, 1),
    assertAlmostEquals: () => assertAlmostEquals(1, 1.1),
    assertArrayIncludes: () => assertArrayIncludes([1], [2]),
    assertObjectMatch: () => assertObjectMatch({ a: { b: 1 } }, { a: { b: 2 } }),
    "assertObjectMatch of an absent key": () => assertObjectMatch({}, { a: undefined }),
    assertThrows: () => assertThrows(() => {}),
    "assertThrows of a class": () =>
      void assertThrows(() => {
        throw new Error("x");
      }, TypeError),
    "assertThrows of a message": () =>
      void assertThrows(
        () => {
          throw new Error("x");
        },
        Error,
        "y",
      ),
    fail: () => fail("no"),
    unreachable: () => unreachable(),
  };
  for (const [name, run] of Object.entries(table)) throwsAssertion(name, run);
});

Deno.test("assertEquals() copes with circles", () => {
  const a: { self?: unknown; n: number } = { n: 1 };
  a.self = a;
  const b: { self?: unknown; n: number } = { n: 1 };
  b.self = b;
  assertEquals(a, b);
  b.n = 2;
  assertNotEquals(a, b);
});

Deno.test("assertEquals() shows the lines that differ and leaves long equal parts out", () => {
  const many = Array.from({ length: 40 }, (_, i) => i);
  const error = assertThrows(() => assertEquals([...many, 1], [...many, 2], "lists"), Error);
  assertStringIncludes(error.message, "lists");
  assertStringIncludes(error.message, "-     1,\n+     2,");
  assertStringIncludes(error.message, "…");
  assertNotMatch(error.message, /\b7,/);
});

Deno.test("assertThrows() and assertRejects() give the error", async () => {
  const error = new RangeError("too far");
  const thrown = assertThrows(
    () => {
      throw error;
    },
    RangeError,
    "far",
  );
  assertStrictEquals(thrown, error);
  assertStrictEquals(await assertRejects(() => Promise.reject(error), RangeError), error);
  assertStrictEquals(await assertRejects(() => Promise.reject("text")), "text");
});

Deno.test("assertRejects() fails on a promise kept, on a throw and on another error", async () => {
  const refuse = async (fn: () => Promise<unknown>): Promise<void> => {
    const outcome = await assertRejects(fn).then(() => "passed", (error) => error);
    assertInstanceOf(outcome, AssertionError);
  };
  await refuse(() => Promise.resolve(1));
  await refuse(() => {
    throw new Error("at once");
  });
  await assertRejects(
    () => assertRejects(() => Promise.reject(new Error("x")), TypeError),
    AssertionError,
  );
});

Deno.test("parse() reads YAML and throws a SyntaxError on what is none", () => {
  assertEquals(parse("a: 1\nb: [x, true, null, 1.5]\n"), { a: 1, b: ["x", true, null, 1.5] });
  assertEquals(parse(""), null);
  assertEquals(parse("a: 1\na: 2", { allowDuplicateKeys: true }), { a: 2 });
  assertThrows(() => parse("a: 1\na: 2"), SyntaxError, "duplicated");
  assertThrows(() => parse("a: [1"), SyntaxError);
  assertThrows(() => parse("a: 1\n---\nb: 2"), SyntaxError);
  assertThrows(() => parse("f: !!js/function 'function () {}'"), SyntaxError);
  const error = assertThrows(() => parse("{", { filename: "config.yaml" }), SyntaxError);
  assertStringIncludes(error.message, "config.yaml");
});

Deno.test("parse() makes of scalars what the schema says", () => {
  const text = "d: 2024-01-01\nn: 08\nb: yes\nt: true\nx: 1";
  assertInstanceOf((parse(text) as Record<string, unknown>)["d"], Date);
  assertEquals(parse(text, { schema: "core" }), {
    d: "2024-01-01",
    n: 8,
    b: "yes",
    t: true,
    x: 1,
  });
  assertEquals(parse(text, { schema: "json" }), parse(text, { schema: "core" }));
  assertObjectMatch(parse(text, { schema: "failsafe" }) as Record<string, unknown>, {
    t: "true",
    x: "1",
  });
});

Deno.test("parse() cannot be made to change a prototype", () => {
  const read = parse("__proto__: {polluted: true}", { schema: "core" }) as object;
  assertFalse("polluted" in {});
  assertEquals(Object.getPrototypeOf(read), Object.prototype);
});

Deno.test("stringify() writes what parse() reads back", () => {
  const value = { a: [1, "two", null], "b c": { d: true, e: "yes", f: "2024-01-01" } };
  assertEquals(parse(stringify(value)), value);
  assertEquals(stringify({ b: 1, a: [1] }, { sortKeys: true }), "a:\n  - 1\nb: 1\n");
  assertThrows(() => stringify({ a: () => 1 }), TypeError);
});

Deno.test("parseArgs() reads switches, texts, lists and positional arguments", () => {
  const args = parseArgs(["tick", "--now", "--config", "a.yaml", "--set=a", "--set", "b", "-q"], {
    boolean: ["now", "json", "quiet"],
    string: ["config", "level"],
    collect: ["set"],
    alias: { quiet: "q" },
    default: { level: "info" },
  });
  const now: boolean = args.now;
  const config: string | undefined = args.config;
  const level: string = args.level;
  assertEquals([now, args.json, args.quiet, config, level], [true, false, true, "a.yaml", "info"]);
  assertEquals(args.set, ["a", "b"]);
  assertEquals(args._, ["tick"]);
});

Deno.test("parseArgs() keeps texts as they are and takes the last of two", () => {
  const args = parseArgs(["--v", "007", "--v=08", "9", "--empty"], { string: ["v", "_", "empty"] });
  assertEquals(args.v, "08");
  assertEquals(args.empty, "");
  assertEquals(args._, ["9"]);
  assertEquals(parseArgs([], { string: "v", collect: ["many"] }).many, []);
});

Deno.test("parseArgs() negates only what is listed", () => {
  const args = parseArgs(["--no-color", "--no-cache"], { boolean: ["color"], negatable: "color" });
  assertEquals(args.color, false);
  assertEquals(args["no-cache"], true);
  assertFalse("cache" in args);
});

Deno.test("parseArgs() gives what is not listed to unknown()", () => {
  const seen: unknown[] = [];
  const args = parseArgs(["--a", "--nope=1", "-z", "--no-b", "pos", "--", "--late"], {
    boolean: ["a"],
    "--": true,
    unknown: (arg, key, value) => {
      seen.push([arg, key, value]);
      return key === undefined;
    },
  });
  assertEquals(seen, [
    ["--nope=1", "nope", "1"],
    ["-z", "z", true],
    ["pos", undefined, undefined],
    ["--no-b", "no-b", true],
  ]);
  assertEquals({ ...args }, { _: ["pos"], a: true, "--": ["--late"] });
});

Deno.test("parseArgs() can stop at the first positional argument", () => {
  const args = parseArgs(["--a", "run", "--b"], { boolean: ["a", "b"], stopEarly: true });
  assertEquals(args._, ["run", "--b"]);
  assertEquals(args.b, false);
});

Deno.test("the links in deno.json answer the standard packages", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const place = "links" in config ? "/packaging/std/" : "jsr:";
  for (const name of ["@std/assert", "@std/cli", "@std/cli/parse-args", "@std/yaml"]) {
    assertStringIncludes(import.meta.resolve(name), place);
  }
});
