import { assertEquals } from "@std/assert";
import { allows, inherits, parseAcls } from "../../src/model/acl.ts";

/** As getfacl 2.3.1 prints them with --numeric --absolute-names. */
const FILE = `# file: /ids/box.json
# owner: 997
# group: 996
user::rw-
user:990:r--
group::rw-
mask::rw-
other::---
`;
const MASKED = `# file: /ids/box.json
# owner: 997
# group: 996
user::rw-
user:990:r--\t#effective:---
group::r--\t#effective:---
mask::---
other::---
`;
const FOLDER = `# file: /ids
# owner: 0
# group: 996
# flags: -s-
user::rwx
user:990:--x
group::rwx
mask::rwx
other::---
default:user::rwx
default:user:990:r--
default:group::rwx
default:mask::rwx
default:other::---
`;

Deno.test("ACLs are read as getfacl prints them, in its order", () => {
  const acls = parseAcls(`${FILE}\n${FOLDER}\n`);
  assertEquals(acls.map(({ path, ownerUid }) => [path, ownerUid]), [["/ids/box.json", 997], [
    "/ids",
    0,
  ]]);
  for (const text of ["", "getfacl: /x: Permission denied\n", "user::rw-\n"]) {
    assertEquals(parseAcls(text), []);
  }
});

Deno.test("a user may what its own entry gives below the mask, or the owner's, or everybody's", () => {
  const [file, folder] = parseAcls(`${FILE}\n${FOLDER}`);
  const [masked] = parseAcls(MASKED);
  const [open] = parseAcls("# file: /x\n# owner: 5\nuser::---\ngroup::---\nother::r--\n");
  if (!file || !folder || !masked || !open) throw new Error("unread");
  const table = [
    [file, 990, "r", true],
    [file, 997, "r", true],
    [file, 991, "r", false],
    [file, 0, "r", true],
    [masked, 990, "r", false],
    [folder, 990, "x", true],
    [folder, 990, "r", false],
    [folder, 991, "x", false],
    [open, 990, "r", true],
    [open, 5, "r", false],
  ] as const;
  for (const [acl, uid, access, may] of table) {
    assertEquals(allows(acl, uid, access), may, `${acl.path} ${uid} ${access}`);
  }
});

Deno.test("a new file in a folder is readable to whom the default ACL names, below its mask", () => {
  const [folder] = parseAcls(FOLDER);
  const [bare] = parseAcls(FOLDER.replaceAll(/^default:.*\n/gm, ""));
  const [masked] = parseAcls(FOLDER.replace("default:mask::rwx", "default:mask::---"));
  if (!folder || !bare || !masked) throw new Error("unread");
  assertEquals([folder, bare, masked].map((acl) => inherits(acl, 990, "r")), [true, false, false]);
  assertEquals([inherits(folder, 991, "r"), inherits(bare, 0, "r")], [false, true]);
});
