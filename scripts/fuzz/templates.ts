/** Templates, right ones and wrong ones, together with a manifest and values that fit most of them. */

import type { ManifestEntry } from "../../src/model/bundle.ts";
import type { Chance } from "./random.ts";
import { makeValue } from "./values.ts";

/** One case: what a bundle and OpenBao would bring. */
export interface EnvCase {
  readonly template: string;
  readonly entries: readonly ManifestEntry[];
  readonly values: ReadonlyMap<string, string>;
}

const LITERALS: readonly [string, ...string[]] = [
  "a",
  "x y",
  "1.2",
  "#",
  " #",
  "\t#",
  " ",
  "\u00a0",
  "\u2028",
  "$$",
  "$1",
  "$ ",
  "$",
  "{x}",
  "}",
  "\\",
  "\\n",
  "\\$",
  "\\\\",
  '\\"',
  "\\'",
  "\\t",
  "\\x",
  "\\a",
  "é😀",
  "http://h:80/?a=b&c",
  "'",
  '"',
  "`id`",
  "\r",
  ":-",
  "?",
  "+",
];

const ODD_FORMS: readonly [string, ...string[]] = [
  "${1A}",
  "${}",
  "${ A }",
  "${A.B}",
  "${A/b/c}",
  "${open",
  "${A:=x}",
  "$\u017fA",
  "${A\u212a}",
  "${A:-{}}",
];

const NEWLINES: readonly [string, ...string[]] = ["\n", "\n", "\n", "\r\n", "\n\n"];

/** Gives a case whose manifest names all begin with `prefix`, which no other name does. */
export function makeEnvCase(chance: Chance, prefix: string): EnvCase {
  const names = chance.some(0, 4, () => "").map((_, index) => `${prefix}${index}`);
  const reference = (): string => makeReference(chance, names, 0);
  const lines = chance.some(0, 8, () => makeLine(chance, reference) + chance.pick(NEWLINES));
  const text = (chance.is(0.03) ? "\ufeff" : "") + lines.join("");
  return {
    template: chance.is(0.1) ? mutate(chance, text) : text,
    entries: names.map((name) => ({ var: name, path: `p/${name}`, key: "value", version: null })),
    values: new Map(names.map((name) => [name, makeValue(chance)])),
  };
}

function makeLine(chance: Chance, reference: () => string): string {
  if (chance.is(0.1)) return `${chance.pick(["", "  ", "\t"])}# ${reference()}`;
  if (chance.is(0.01)) return chance.pick(["", "NAME", "=x", "A B=c", "1A=x", "A:B", "export"]);
  const head = chance.pick(["", "", "", "export ", " ", "\texport\t"]);
  const name = chance.pick(["T0", "T1", "T_2", "t.3", "T-4", "__proto__", "T5"]);
  const equals = chance.pick(["=", "=", "=", "=", " = ", ": ", "=\t"]);
  const content = chance.some(0, 5, () => {
    if (chance.is(0.005)) return chance.pick(ODD_FORMS);
    return chance.is(0.4) ? reference() : chance.pick(LITERALS);
  }).join("");
  return `${head}${name}${equals}${quote(chance, content)}`;
}

function quote(chance: Chance, content: string): string {
  const tail = chance.is(0.02) ? " x" : chance.pick(["", "", " ", " # c", "\t# ${NO}", "#c"]);
  if (chance.is(0.4)) return content + chance.pick(["", "", " # ${NO}", " "]);
  const inner = chance.is(0.2) ? content.replace(" ", "\n# ") : content;
  return chance.is(0.7)
    ? `"${inner.replace(/(?<!\\)"/g, '\\"')}"${tail}`
    : `'${inner.replace(/(?<!\\)'/g, "\\'")}'${tail}`;
}

function makeReference(chance: Chance, names: readonly string[], depth: number): string {
  const [first, ...rest] = names;
  const isKnown = first !== undefined && !chance.is(0.03);
  const name = isKnown ? chance.pick([first, ...rest]) : chance.pick(["NO", "no_such"]);
  if (chance.is(isKnown ? 0.5 : 0.05)) return chance.is(0.2) ? `$${name}` : `\${${name}}`;
  const operand = chance.some(0, 3, () => {
    if (depth < 3 && chance.is(0.3)) return makeReference(chance, names, depth + 1);
    return chance.pick(["x", "a b", "", "-", "?", "+", ":-", "$$", "{y}", "1", "é", "\\n", "'"]);
  }).join("");
  return `\${${name}${chance.pick([":-", "-", ":+", "+"])}${operand}}`;
}

/** Drops, doubles or replaces a character somewhere. */
function mutate(chance: Chance, text: string): string {
  const characters = [...text];
  const at = chance.below(characters.length + 1);
  const change = chance.pick(["", "$", "{", "}", '"', "'", "\n", "\\", "=", "\0", "#", " "]);
  return characters.toSpliced(at, chance.below(2), change).join("");
}
