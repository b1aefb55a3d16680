import { assertEquals } from "@std/assert";
import { realPath } from "../../src/engine/real_path.ts";
import type { FileStat } from "../../src/ports.ts";

/** A box: path → `file`, `directory`, or where a link leads. */
const BOX: Readonly<Record<string, string>> = {
  "/srv/a": "directory",
  "/srv/a/f": "file",
  "/srv/a/in": "-> f",
  "/srv/a/up": "-> ../b/f",
  "/srv/b": "directory",
  "/srv/b/f": "file",
  "/srv/out": "-> /etc/passwd",
  "/srv/climb": "-> ../../etc",
  "/srv/dir": "-> a",
  "/srv/two": "-> dir/in",
  "/srv/loop": "-> loop",
  "/srv/dangling": "-> a/none",
  "/srv/through": "-> /data/x",
  "/srv/back": "-> /srv/a/../b",
  "/srv/sock": "other",
  "/data/x": "directory",
  "/data/x/f": "file",
};

const asked: string[] = [];
const files = {
  stat: (path: string): Promise<FileStat | null> => {
    asked.push(path);
    const kind = BOX[path];
    if (kind === undefined) return Promise.resolve(null);
    const is = kind.startsWith("->") ? "symlink" : kind as FileStat["kind"];
    return Promise.resolve({ kind: is, size: 0, mode: 0, uid: 0 });
  },
  readLink: (path: string): Promise<string | null> =>
    Promise.resolve(BOX[path]?.startsWith("->") ? BOX[path].slice(3) : null),
};

const ROWS: readonly (readonly [string, string, string | null])[] = [
  ["/srv", "/srv", "directory"],
  ["/srv/a/f", "/srv/a/f", "file"],
  ["/srv/sock", "/srv/sock", "other"],
  ["/srv/none/x", "/srv/none/x", null],
  ["/srv/a/in", "/srv/a/f", "file"],
  ["/srv/a/up", "/srv/b/f", "file"],
  ["/srv/dir/f", "/srv/a/f", "file"],
  ["/srv/two", "/srv/a/f", "file"],
  ["/srv/back/f", "/srv/b/f", "file"],
  ["/srv/through/f", "/data/x/f", "file"],
  ["/srv/dangling", "/srv/a/none", null],
  ["/srv/out", "/etc", "hidden"],
  ["/srv/climb/passwd", "/etc/passwd", "hidden"],
  ["/srv/loop", "/srv/loop", "hidden"],
  ["/etc/passwd", "/etc/passwd", "hidden"],
  ["/", "/", "directory"],
];

for (const [path, real, kind] of ROWS) {
  Deno.test(`${path} leads to ${real} (${kind}), and nothing outside is looked at`, async () => {
    asked.length = 0;
    const found = await realPath(files, path, ["/srv", "/data"]);
    assertEquals(found.kind, kind);
    assertEquals(found.real.startsWith(real), true, found.real);
    assertEquals(asked.filter((each) => !/^\/(?:srv|data)\//.test(each)), []);
  });
}
