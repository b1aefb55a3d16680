import { assertEquals } from "@std/assert";
import { comparePaths, filePathProblem, secretPathProblem } from "../../src/model/path.ts";

Deno.test("filePathProblem() takes relative, normalised paths of plain text", () => {
  const fine = [
    "docker-compose.yml",
    ".env.template",
    "a/.monky/b",
    "conf/ä b'$`#.txt",
    "...",
    "..a",
  ];
  for (const path of fine) assertEquals(filePathProblem(path), null, path);
  assertEquals(filePathProblem("a".repeat(255)), null);
});

Deno.test("filePathProblem() says what is wrong with every other path", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "is empty"],
    ["/etc/passwd", "is absolute"],
    ["../x", 'holds ".."'],
    ["a/../../x", 'holds ".."'],
    ["a/..", 'holds ".."'],
    ["./a", "is not normalised"],
    ["a/./b", "is not normalised"],
    ["a//b", "is not normalised"],
    ["a/", "is not normalised"],
    [".", "is not normalised"],
    ["a\0b", "holds a control character"],
    ["a\nb", "holds a control character"],
    ["a\x7fb", "holds a control character"],
    ["a\x9bb", "holds a control character"],
    ["a\\b", "holds a backslash"],
    ["a\ud800", "is not valid Unicode"],
    [".monky", "lies in the agent's own folder .monky"],
    [".monky/override.yml", "lies in the agent's own folder .monky"],
    [".env", "is called .env, which only the agent writes"],
    ["sub/.env", "is called .env, which only the agent writes"],
    ["sub/.env/x", "is called .env, which only the agent writes"],
    ["é".repeat(128), "has a name longer than 255 bytes"],
    ["a/".repeat(600) + "b", "is longer than 1024 bytes"],
  ];
  for (const [path, problem] of rows) {
    assertEquals(filePathProblem(path), problem, JSON.stringify(path));
  }
});

Deno.test("secretPathProblem() refuses what could leave the environment's prefix", () => {
  for (const path of ["db", "app/db/pw", "a b", "ä", ".hidden", "a+b/*"]) {
    assertEquals(secretPathProblem(path), null, path);
  }
  const bad = ["", "/a", "a/", "a//b", "../a", "a/../../b", ".", "a\0", "a?version=1", "%2e%2e/x"];
  for (const path of [...bad, "key ", " a/b", "a#b", "a\\b", "\ud800"]) {
    assertEquals(typeof secretPathProblem(path), "string", path);
  }
});

Deno.test("comparePaths() orders by UTF-8 bytes, as sort does in the C locale", () => {
  const sorted = ["A", "a", "a-b", "a/b", "a0", "é", "\ufffd", "😀"];
  assertEquals(sorted.toReversed().sort(comparePaths), sorted);
  // UTF-16 units would put the last two the other way round.
  assertEquals(["\ufffd", "😀"].sort(), ["😀", "\ufffd"]);
});
