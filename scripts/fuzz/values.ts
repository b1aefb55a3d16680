/** Secret values as they come, and as nobody hopes they come. */

import type { Chance } from "./random.ts";

const PEM = "-----BEGIN FAKE KEY-----\nMIIE+abc/def==\n-----END FAKE KEY-----\n";

const PIECES: readonly [string, ...string[]] = [
  "$",
  ..."$\"'`#\\ \n\r\t=:;{}()[]!?*&%@~^|<>,.-_/+",
  "a",
  "Z",
  "0",
  "é",
  "😀",
  "\u00a0",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u3000",
  "\ufeff",
  "\u200d",
  "\x01",
  "\x07",
  "\x0b",
  "\x1b[31m",
  "\x7f",
  "\\n",
  "\\$",
  '\\"',
  "\\\\",
  "\\0101",
  "\\u0041",
  "$$",
  "${X}",
  "${X:-y}",
  "${X:?no}",
  "${",
  "$X",
  "$1",
  "$(id)",
  "`id`",
  " #",
  "# ",
  "\r\n",
  "\nEVIL=1\n",
  "export ",
  "'\"'",
  '{"a":"b\\"c","d":[1,null]}',
  "%s%n",
];

/** Gives a value without NUL: mostly pieces that some reader trips over. */
export function makeValue(chance: Chance): string {
  if (chance.is(0.05)) return "";
  if (chance.is(0.05)) return PEM;
  if (chance.is(0.02)) return chance.pick(PIECES).repeat(1 + chance.below(2_000));
  const pieces = chance.some(
    1,
    12,
    () => chance.is(0.1) ? anyCharacter(chance) : chance.pick(PIECES),
  );
  return pieces.join("");
}

/** Any character of Unicode but NUL and lone surrogates. */
function anyCharacter(chance: Chance): string {
  const point = 1 + chance.below(0x10ffff);
  return point >= 0xd800 && point <= 0xdfff ? "\ufffd" : String.fromCodePoint(point);
}
