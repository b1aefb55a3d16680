import { assertEquals } from "@std/assert";
import { imagesToRemove, type ReleaseImages, releasesToRemove } from "../../src/core/prune.ts";

Deno.test("the current release and the newest before it are kept", () => {
  const onDisk = ["a", "b", "c", "d", "never"];
  const rows: readonly [string, readonly string[], string, number, readonly string[]][] = [
    ["three kept", ["a", "b", "c"], "d", 3, ["a", "never"]],
    ["the current one is in the history already", ["a", "b", "c", "d"], "d", 3, ["a", "never"]],
    ["one kept", ["a", "b", "c"], "d", 1, ["a", "b", "c", "never"]],
    ["never fewer than the current one", ["a", "b", "c"], "d", 0, ["a", "b", "c", "never"]],
    ["an older one came back", ["a", "b", "c", "d"], "a", 2, ["b", "c", "never"]],
    ["more kept than there are", ["a", "b", "c"], "d", 9, ["never"]],
  ];
  for (const [name, history, current, keep, removed] of rows) {
    assertEquals(releasesToRemove({ onDisk, history, current, keep }), removed, name);
  }
});

function release(ref: string, id: string): ReleaseImages {
  return {
    images: [ref],
    released: { web: { count: 1, configHashes: ["h"], imageIds: [id], oneShot: false } },
  };
}

Deno.test("an image goes when no kept release needs its name, and by id when none needs its id", () => {
  const rows: readonly [string, readonly ReleaseImages[], readonly ReleaseImages[], string[]][] = [
    ["nothing goes", [], [release("app:2", "sha256:2")], []],
    ["an image of its own", [release("app:1", "sha256:1")], [release("app:2", "sha256:2")], [
      "app:1",
      "sha256:1",
    ]],
    ["the same image", [release("app:2", "sha256:2")], [release("app:2", "sha256:2")], []],
    ["the tag moved on", [release("app:x", "sha256:1")], [release("app:x", "sha256:2")], [
      "sha256:1",
    ]],
    ["another tag of the same image", [release("app:1", "sha256:2")], [
      release("app:2", "sha256:2"),
    ], ["app:1"]],
  ];
  for (const [name, gone, kept, removed] of rows) {
    assertEquals(imagesToRemove(gone, kept), removed, name);
  }
});
