import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseTemplate } from "../../../src/core/render/template.ts";
import { AgentError } from "../../../src/errors.ts";
import { fastestMs } from "../../support/fastest.ts";
import { readEnv } from "./env_reader.ts";
import { rendered } from "./from_case.ts";

/** Each row was read by compose 2.26.1 with S=sval and an empty E: template, then what A is. */
const READ: readonly (readonly [string, string])[] = [
  ["A=x", "x"],
  ["  A = x y ", "x y"],
  ["A: x", "x"],
  ["export\tA=x", "x"],
  ["exportA=0\nA=1", "1"],
  ["A=", ""],
  ["A=''", ""],
  ["A=#c", "#c"],
  ["A=x #c", "x"],
  ["A=x\t#c", "x\t#c"],
  ["A=x\u00a0", "x"],
  ["A=\u00a0x\u2028", "x"],
  ['A=x"y" z', 'x"y" z'],
  ["A=`x`", "`x`"],
  ["A=a\\", "a\\"],
  ["A=\\$S", "\\sval"],
  ['A="\\$S"', "$S"],
  ['A="\\\\$S"', "\\sval"],
  ['A="$$S"', "$S"],
  ['A="\\$${S}"', "$sval"],
  ["A=$1 $! $ ${S}$", "$1 $! $ sval$"],
  ['A="x\\"y" # c', 'x"y'],
  ["A='it\\'s \\\\ \\n $S ${S}'", "it's \\\\ \\n $S ${S}"],
  ['A="\\a\\b\\f\\v\\t\\n\\r|\\x\\1\\c"', "\x07\b\f\v\t\n\r|\\x\\1\\c"],
  ['A="one\n two"', "one\n two"],
  ["A=$S.x", "sval.x"],
  ["A=${N:-{x}}${S:-{x}}", "{x}sval"],
  ["A=${N:-a}}", "a}"],
  ["A=${N:-\\}x}", "\\x}"],
  ["A=${N:-${S}x${S}}y${S}", "svalxsvalysval"],
  ["A=${S:+a${N:-q}}${N:+x}|", "aq|"],
  ["A=${E+x}${E:+y}${N+z}", "x"],
  ["A=${N:-a:-b}${N-a?b}${N:-$$x}", "a:-ba?b$x"],
  ['A="${N-\\"x\\"}"', '"x"'],
  ["A=${S:?no}${S?a-b}${E?no}", "svalsval"],
  ["A=1\nA=2", "2"],
  ["\ufeffA=1", "1"],
  ["A=x\r\nB=y\r", "x"],
  ['A="x\r\ny"', "x\ny"],
  ["A=x\r \r\n# c\r\r\nB=1", "x"],
  ['A="x\ry"', "x\ry"],
];

Deno.test("parseTemplate() reads what compose reads", () => {
  for (const [template, expected] of READ) {
    const got = readEnv(rendered(template, { S: "sval", E: "" }));
    assertEquals(got.get("A"), expected, JSON.stringify(template));
  }
});

/** Template, then what the refusal says. */
const REFUSED: readonly (readonly [string, string])[] = [
  ["A", "line 1: is not of the form NAME=value"],
  ["\n\n=x", "line 3: is not of the form NAME=value"],
  ["1A=x", "line 1: is not of the form NAME=value"],
  ["A B=x", "line 1: is not of the form NAME=value"],
  ["A:B=x", "line 1: is not of the form NAME=value"],
  ["export = x", "line 1: is not of the form NAME=value"],
  ["Ä=x", "line 1: is not of the form NAME=value"],
  ["A= # c", "line 1: has a comment where its value should be"],
  ["A='a'b", "line 1: has text after its closing quote"],
  ['A="a" B=1', "line 1: has text after its closing quote"],
  ['A=1\nB="x\ny', "line 2: opens a quote that nothing closes"],
  ["A='x\\'", "line 1: opens a quote that nothing closes"],
  ['A="\\0101"', "line 1: uses an octal escape"],
  ["A=1\rB=2\r", "line 1: holds a carriage return that ends no line"],
  ["A=\rB=2", "line 1: holds a carriage return that ends no line"],
  ['A="x" # c\rB=2\n', "line 1: holds a carriage return that ends no line"],
  ["A=1\n# c\rB=2\n", "line 2: holds a carriage return that ends no line"],
  ["A=1\nB=\0", "line 2: holds a NUL byte"],
  ["A=${X:=y}", "line 1: ${X:=y} is no form that compose knows"],
  ["A=${X:-y", "line 1: ${X:-y is not closed on its line"],
  ['A="${X:-y\n}"', "line 1: ${X:-y is not closed on its line"],
  ["A=${X:-${}}", "line 1: ${} names no variable"],
  ["A=${X:?${Y.Z}}", "line 1: ${Y.Z} is no form that compose knows"],
  ["A=${X:-{}}", "line 1: ${X:-{} holds braces that compose miscounts"],
  ["A=$\u017foo", "line 1: $\u017foo has a letter other than A-Z in its name"],
  ["A=${S\u212a}", "line 1: ${S\u212a} has a letter other than A-Z in its name"],
  [`A=${"${X:-".repeat(22)}${"}".repeat(22)}`, "is nested too deeply"],
  ["A=1\n".repeat(600_000), "passes 2097152 characters"],
];

Deno.test("parseTemplate() refuses by line what compose refuses, drops or misreads", () => {
  for (const [template, expected] of REFUSED) {
    const what = JSON.stringify(template.slice(0, 60));
    const error = assertThrows(() => parseTemplate(template), AgentError, "", what);
    assertEquals(error.code, "TEMPLATE_INVALID", what);
    assertStringIncludes(error.message, expected);
  }
});

Deno.test("parseTemplate() names every problem at once, and counts what it does not name", () => {
  const error = assertThrows(() => parseTemplate("A\nB=${}\nC=1\nD='x"), AgentError);
  assertEquals(
    error.message,
    ".env.template: line 1: is not of the form NAME=value; line 2: ${} names no variable; " +
      "line 4: opens a quote that nothing closes",
  );
  const many = assertThrows(() => parseTemplate("A\n".repeat(500)), AgentError);
  assertStringIncludes(many.message, "; and 480 more");
  // It gives up after 1,000, so that a list of problems is bounded too.
  const endless = assertThrows(() => parseTemplate("A\n".repeat(100_000)), AgentError);
  assertStringIncludes(endless.message, "; and 980 more");
});

Deno.test("parseTemplate() takes time in proportion to a template, whatever one of full size holds", () => {
  const of = (size: number): readonly string[] => [
    "\n".repeat(size),
    `A=x${" ".repeat(size)}y`,
    `A=${"${X:-".repeat(size / 5)}`,
    `A=${"${X:-".repeat(size / 6)}${"}".repeat(size / 6)}`,
    `A="${"\\".repeat(size)}`,
    `A="${"\\\\0".repeat(size / 3)}"`,
    "A\n".repeat(size / 2),
    "#\n".repeat(size / 2),
    `A=${"$".repeat(size)}`,
    `A=${"$X".repeat(size / 2)}`,
    `${"export ".repeat(size / 7)}=`,
    `${"A".repeat(size)}`,
  ];
  const read = (text: string): void => {
    try {
      parseTemplate(text);
    } catch (error) {
      assert(error instanceof AgentError, text.slice(0, 20));
    }
  };
  const parts = of(250_000);
  for (const [index, whole] of of(2_000_000).entries()) {
    const part = parts[index] ?? "";
    const [ofPart = 0, ofWhole = Infinity] = fastestMs([() => read(part), () => read(whole)], 2);
    // Eight times the text takes 64 times as long where time grows with its square.
    const shown = `${whole.slice(0, 20)}: ${ofWhole} ms, an eighth of it ${ofPart} ms`;
    assert(ofWhole < 40 * ofPart + 1_000, shown);
  }
});
