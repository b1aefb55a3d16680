import { assertEquals, assertThrows } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { parseManifest } from "../../src/model/manifest_parse.ts";

function parse(value: unknown): ReturnType<typeof parseManifest> {
  return parseManifest(new TextEncoder().encode(JSON.stringify(value)));
}

function refusal(value: unknown): string {
  const error = assertThrows(() => parse(value), AgentError, "", JSON.stringify(value));
  assertEquals(error.code, "MANIFEST_INVALID");
  return error.message.replace("manifest.json: ", "");
}

Deno.test("parseManifest() fills in what may be left out, and ignores what it does not know", () => {
  const entries = [
    { var: "A", path: "db/a", note: "x" },
    { var: "_b1", path: "b", key: "pw", version: 3 },
    { var: "__proto__", path: "p", key: null, version: null },
  ];
  const registries = [{ host: "reg:5000", username_var: "A", password_var: "_b1", x: 1 }];
  assertEquals(parse({ entries, registries, more: [] }), {
    entries: [
      { var: "A", path: "db/a", key: "value", version: null },
      { var: "_b1", path: "b", key: "pw", version: 3 },
      { var: "__proto__", path: "p", key: "value", version: null },
    ],
    registries: [{ host: "reg:5000", usernameVar: "A", passwordVar: "_b1" }],
  });
  assertEquals(parse({ entries: [] }), { entries: [], registries: [] });
});

Deno.test("parseManifest() says which key is missing or mistyped", () => {
  assertEquals(refusal([]), "must be an object");
  assertEquals(refusal(null), "must be an object");
  assertEquals(refusal({}), "entries: is missing");
  assertEquals(refusal({ entries: {} }), "entries: must be a list");
  assertEquals(
    refusal({ entries: [{ var: 1 }, "x", { var: "A", path: "p", key: 2, version: "3" }] }),
    "entries[0].var: must be a string; entries[0].path: is missing; entries[1]: must be an object; " +
      "entries[2].key: must be a string; entries[2].version: must be a number",
  );
  assertEquals(
    refusal({ entries: [], registries: [{ host: "h" }] }),
    "registries[0].username_var: is missing; registries[0].password_var: is missing",
  );
});

Deno.test("parseManifest() names every entry that breaks a rule, at once", () => {
  assertEquals(
    refusal({
      entries: [
        { var: "1A", path: "p" },
        { var: "A B", path: "/p" },
        { var: "A", path: "p/../q" },
        { var: "A", path: "p", key: "" },
        { var: "B", path: "p", version: 0 },
        { var: "C", path: "p", version: 1.5 },
        { var: "D", path: "", key: "a\nb" },
      ],
      registries: [
        { host: "https://u@h", username_var: "A", password_var: "Z" },
        { host: "h", username_var: "A", password_var: "B" },
        { host: "h", username_var: "A", password_var: "B" },
      ],
    }).split("; "),
    [
      'entries[0].var: "1A" is no variable name',
      'entries[1].var: "A B" is no variable name',
      'entries[1].path: "/p" is absolute',
      'entries[2].path: "p/../q" holds ".."',
      "entries[3].var: A is entries[2].var already",
      "entries[3].key: is empty or holds a control character",
      "entries[4].version: must be a whole number from 1",
      "entries[5].version: must be a whole number from 1",
      'entries[6].path: "" is empty',
      "entries[6].key: is empty or holds a control character",
      "registries[0].host: is no registry host",
      "registries[0].password_var: is no variable of entries",
      'registries[2].host: "h" is named twice',
    ],
  );
});

Deno.test("parseManifest() takes 2,000 entries and no more", () => {
  const make = (count: number): unknown => ({
    entries: Array.from({ length: count }, (_, index) => ({ var: `V${index}`, path: "p" })),
  });
  assertEquals(parse(make(2_000)).entries.length, 2_000);
  assertEquals(refusal(make(2_001)), "entries: 2001 of them; the limit is 2000");
});

Deno.test("parseManifest() counts the problems that it does not name", () => {
  const entries = Array.from({ length: 100 }, (_, index) => ({ var: `V${index}`, path: "/" }));
  assertEquals(refusal({ entries }).split("; ").length, 21);
  assertEquals(refusal({ entries }).split("; ").at(-1), "and 80 more");
});
