/** What the system's rarer file errors are in words: each would else be a bare "cannot be read". */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { unreadable, unwritable } from "../../src/io/file_faults.ts";

/** An error as the runtime makes it of the system's. */
function osError(code: string): Error {
  return Object.assign(new Error(`(os error) ${code}`), { code });
}

Deno.test("field: what keeps a file of a server, a full process or a small file system from being used is said", () => {
  const words: Readonly<Record<string, string>> = {
    EBUSY: "something else holds it",
    EFBIG: "it would be larger than this process or file system allows",
    EMFILE: "this process has too many files open",
    ENFILE: "the box has too many files open",
    ENOLCK: "its file system keeps no locks",
    ENOMEM: "there is no memory left",
    ENOTEMPTY: "the folder is not empty",
    ESTALE: "the file server no longer has it",
    ETIMEDOUT: "the file server does not answer",
  };
  for (const [code, says] of Object.entries(words)) {
    const read = unreadable(osError(code), "/f", "read");
    assertEquals([read.code, read.message], ["FILE_UNREADABLE", `"/f" cannot be read: ${says}`]);
    const written = unwritable(osError(code), "/f", "written");
    assertEquals(written.code, "FILE_UNWRITABLE");
    assertStringIncludes(written.message, says);
  }
});

Deno.test("field: a file system without inodes is full, though df -h shows room", () => {
  const full = unwritable(osError("ENOSPC"), "/f", "written");
  assertEquals(full.code, "DISK_FULL");
  assertStringIncludes(full.message, "full, or has no inodes left (df -i)");
});
