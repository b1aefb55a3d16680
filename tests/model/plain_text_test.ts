import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { logText } from "../../src/model/log_frames.ts";
import { headOf, lastLines, plainText } from "../../src/model/plain_text.ts";
import { fastestMs } from "../support/fastest.ts";

Deno.test("escapes of every kind go, with what they carry", () => {
  const table: readonly [string, string][] = [
    ["\x1b[2Kline", "line"],
    ["\x1b[31;1mred\x1b[0m", "red"],
    ["\x1b[?25lx", "x"],
    ["\x1b]0;a title\x07x", "x"],
    ["\x1b]8;;http://h/\x1b\\link\x1b]8;;\x1b\\", "link"],
    ["\x1bPdevice\x1b\\x", "x"],
    ["\x1b(Bx", "x"],
    ["\x1bMx", "x"],
    ["\x9b31mx", "x"],
    ["a\x1b", "a"],
    ["a\x1b[", "a"],
    ["a\tb\rc\x00\x07\x7f\x85", "a bc"],
    ["a\u202eb\u2028c", "abc"],
    ["plain é ✓ 😀  ", "plain é ✓ 😀"],
  ];
  for (const [text, plain] of table) assertEquals(plainText(text), plain, JSON.stringify(text));
});

Deno.test("plain text never holds a control character, and stays as it is", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const plain = plainText(text);
    // deno-lint-ignore no-control-regex
    assertEquals(/[\x00-\x1f\x7f-\x9f]/.test(plain), false);
    assertEquals(plainText(plain), plain);
  }));
});

Deno.test("plain text takes time in proportion to the text", () => {
  for (const part of ["\x1b", "\x1b]", "\x1b[", "\x1bP", "\x9b", "\x1b]\x1b"]) {
    const text = part.repeat(200_000);
    const [ms = Infinity] = fastestMs([() => plainText(text)], 3);
    assertEquals(ms < 2_000, true, JSON.stringify(part));
  }
});

Deno.test("the last lines fit the limit in bytes, in order, cut at characters", () => {
  const lines = fc.array(fc.string({ unit: "grapheme" }));
  fc.assert(fc.property(lines, fc.integer({ min: 8, max: 200 }), (all, maxBytes) => {
    const kept = lastLines(all, maxBytes);
    const size = new TextEncoder().encode(kept.join("\n")).length;
    assertEquals(size <= maxBytes, true);
    const whole = kept.filter((line) => !line.startsWith("…"));
    assertEquals(all.slice(all.length - whole.length), whole);
    if (!all.join("").includes("\ufffd")) assertEquals(kept.join("").includes("\ufffd"), false);
  }));
  assertEquals(lastLines(["a", "b"], 4), ["a", "b"]);
  assertEquals(lastLines(["a", "b"], 3), ["b"]);
});

Deno.test("a head is cut between characters and says so", () => {
  assertEquals(headOf("abc", 3), "abc");
  assertEquals(headOf("abcd", 3), "ab…");
  assertEquals(headOf("a😀b", 3), "a…");
});

Deno.test("any bytes are some log text", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    assertEquals(typeof logText(bytes), "string");
  }));
});
