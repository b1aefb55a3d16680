/** Files on a real file system: durable writes, bounded reads, links and pipes, and a full disk. */

import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { createFiles } from "../../src/io/files.ts";
import { isLeftover } from "../../src/model/leftover.ts";
import { inOwnProcess } from "../support/own_process.ts";

const files = createFiles();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Mounting wants root; where a skip is a failure (CI), the test fails by saying so. */
const TINY_DISK = { ignore: Deno.uid() !== 0 && Deno.env.get("CI") !== "true" };

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "files_" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(() => null, (thrown: unknown) => thrown);
  assertInstanceOf(failure, AgentError);
  return failure.code;
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("a write replaces the file whole, with exactly the mode asked for", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/state.json`;
    await Deno.writeTextFile(path, "old and longer", { mode: 0o644 });
    await files.write(path, bytes("new"), { mode: 0o600 });
    assertEquals(await Deno.readTextFile(path), "new");
    assertEquals((await files.stat(path))?.mode, 0o600);
    assertEquals(names(folder), ["state.json"]);
  });
});

Deno.test("modes are exact under every umask, for files, created files and folders", async () => {
  await inFolder(async (folder) => {
    for (const umask of [0o000, 0o077, 0o777]) {
      const program = new URL("umask_modes.ts", import.meta.url);
      const modes = await inOwnProcess<[string, number, number][]>(program, { folder, umask });
      assertEquals(modes.length, 9);
      for (const [name, asked, found] of modes) {
        assertEquals(found, asked, `${name} under ${umask}`);
      }
    }
  });
});

Deno.test("a write never goes through a link that stands at its path", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/victim`, "untouched");
    await Deno.symlink("victim", `${folder}/link`);
    await files.write(`${folder}/link`, bytes("mine"), { mode: 0o600 });
    assertEquals(await Deno.readTextFile(`${folder}/victim`), "untouched");
    assertEquals((await files.stat(`${folder}/link`))?.kind, "file");
  });
});

Deno.test("a file with the longest possible name can be written", async () => {
  await inFolder(async (folder) => {
    const name = "ü".repeat(127);
    await files.write(`${folder}/${name}`, bytes("x"), { mode: 0o600 });
    assertEquals(names(folder), [name]);
  });
});

Deno.test("create refuses a name that exists and leaves it as it is", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "first");
    assertEquals(
      await codeOf(files.create(`${folder}/a`, bytes("x"), { mode: 0o600 })),
      "FILE_UNWRITABLE",
    );
    assertEquals(await Deno.readTextFile(`${folder}/a`), "first");
  });
});

Deno.test("what cannot be written is FILE_UNWRITABLE and leaves nothing behind", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/busy/inner`, { recursive: true });
    await Deno.writeTextFile(`${folder}/file`, "");
    const options = { mode: 0o600 };
    const failures = [
      () => files.write(`${folder}/missing/a`, bytes("x"), options),
      () => files.write(`${folder}/file/a`, bytes("x"), options),
      () => files.write(`${folder}/busy`, bytes("x"), options),
      () => files.makeDir(`${folder}/file/a`, 0o700),
      () => files.makeDir(`${folder}/file`, 0o700),
      () => files.rename(`${folder}/nothing`, `${folder}/else`),
      () => files.chmod(`${folder}/nothing`, 0o600),
      () => files.syncDir(`${folder}/nothing`),
    ];
    for (const attempt of failures) assertEquals(await codeOf(attempt()), "FILE_UNWRITABLE");
    assertEquals(names(folder), ["busy", "file"]);
    assertEquals(names(`${folder}/busy`), ["inner"]);
  });
});

Deno.test(
  "a full file system is DISK_FULL, the old content stays, nothing is left over",
  TINY_DISK,
  async () => {
    await onTinyDisk(async (disk) => {
      await files.write(`${disk}/state.json`, bytes("old"), { mode: 0o600 });
      const large = new Uint8Array(1024 * 1024);
      assertEquals(
        await codeOf(files.write(`${disk}/state.json`, large, { mode: 0o600 })),
        "DISK_FULL",
      );
      assertEquals(await codeOf(files.create(`${disk}/new`, large, { mode: 0o600 })), "DISK_FULL");
      assertEquals(await Deno.readTextFile(`${disk}/state.json`), "old");
      assertEquals(names(disk), ["state.json"]);
    });
  },
);

Deno.test("free bytes are told, and shrink with what is written", TINY_DISK, async () => {
  await onTinyDisk(async (disk) => {
    const before = await files.freeBytes(disk);
    await files.write(`${disk}/a`, new Uint8Array(65536), { mode: 0o600 });
    const after = await files.freeBytes(disk);
    assert(before <= 256 * 1024 && after <= before - 65536, `${before} ${after}`);
  });
  assertEquals(await codeOf(files.freeBytes("/proc/nowhere")), "FILE_UNREADABLE");
});

Deno.test("a read-only file system is FILE_UNWRITABLE", TINY_DISK, async () => {
  await onTinyDisk(async (disk) => {
    await run("mount", "-o", "remount,ro", disk);
    const failure = await assertRejects(
      () => files.write(`${disk}/a`, bytes("x"), { mode: 0o600 }),
      AgentError,
    );
    assertEquals(failure.code, "FILE_UNWRITABLE");
    assert(failure.message.endsWith("the file system is read-only"), failure.message);
  });
});

Deno.test("a permission that the process lacks is PERMISSION_MISSING", {
  permissions: { read: [import.meta.dirname ?? "."], write: false },
}, async () => {
  const options = { mode: 0o600 };
  const failures = [
    () => files.read("/etc/passwd", 10),
    () => files.stat("/etc/passwd"),
    () => files.list("/etc"),
    () => files.write("/tmp/x", bytes("x"), options),
    () => files.create("/tmp/x", bytes("x"), options),
    () => files.makeDir(`${import.meta.dirname}/x`, 0o700),
    () => files.remove("/tmp/x"),
  ];
  for (const attempt of failures) assertEquals(await codeOf(attempt()), "PERMISSION_MISSING");
});

const ORPHAN = `${import.meta.dirname}/no_such_folder/state`;

Deno.test(
  "a folder of the agent's whose parent is missing is told with the parent, to be made first",
  {
    permissions: { read: [ORPHAN], write: [ORPHAN] },
  },
  async () => {
    const failure = await assertRejects(() => files.makeDir(ORPHAN, 0o700), AgentError);
    assertEquals(failure.code, "FILE_UNWRITABLE");
    const parent = `${import.meta.dirname}/no_such_folder`;
    assertEquals(failure.message, `"${ORPHAN}" cannot be made: there is no folder "${parent}"`);
    assert(failure.hint.startsWith(`Make the folder ${parent} `), failure.hint);
  },
);

Deno.test("a read gives the content, null for nothing, and refuses what is no bounded file", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "12345");
    await Deno.symlink("a", `${folder}/link`);
    await run("mkfifo", `${folder}/pipe`);
    assertEquals(await files.read(`${folder}/a`, 5), bytes("12345"));
    assertEquals(await files.read(`${folder}/nothing`, 5), null);
    assertEquals(await files.read(`${folder}/a/below`, 5), null);
    assertEquals(await files.read(`${folder}/link`, 5, { followLink: true }), bytes("12345"));
    const refused = [
      () => files.read(`${folder}/a`, 4),
      () => files.read(`${folder}/link`, 5),
      () => files.read(folder, 5),
      () => files.read(`${folder}/pipe`, 5),
      () => files.read(`${folder}/pipe`, 5, { followLink: true }),
      () => files.read("/dev/zero", 5),
    ];
    for (const attempt of refused) assertEquals(await codeOf(attempt()), "FILE_UNREADABLE");
  });
});

Deno.test("an empty file and one that says it is empty are read to their end", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "");
    assertEquals(await files.read(`${folder}/a`, 0), new Uint8Array());
    assert(((await files.read("/proc/self/status", 100_000))?.length ?? 0) > 100);
  });
});

Deno.test("what a path is, is told without following links", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a`, "123");
    await Deno.symlink("a", `${folder}/link`);
    await run("mkfifo", `${folder}/pipe`);
    const kinds = await Promise.all(
      ["a", "link", "pipe", "."].map(async (name) => (await files.stat(`${folder}/${name}`))?.kind),
    );
    assertEquals(kinds, ["file", "symlink", "other", "directory"]);
    assertEquals((await files.stat(`${folder}/a`))?.size, 3);
    assertEquals((await files.stat(`${folder}/a`))?.uid, Deno.uid());
    assertEquals(await files.stat(`${folder}/nothing`), null);
  });
});

Deno.test("a link is read back, what is none is null", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/one`);
    await Deno.symlink("two", `${folder}/current`);
    assertEquals(await files.readLink(`${folder}/current`), "two");
    assertEquals(await files.readLink(`${folder}/one`), null);
    assertEquals(await files.readLink(`${folder}/nothing`), null);
    assertEquals(names(folder), ["current", "one"]);
  });
});

Deno.test("names are listed sorted, none for no folder; removing removes links, not their targets", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/b/deep`, { recursive: true });
    await Deno.writeTextFile(`${folder}/a`, "");
    await Deno.symlink("b", `${folder}/c`);
    assertEquals(await files.list(folder), ["a", "b", "c"]);
    assertEquals(await files.list(`${folder}/nothing`), []);
    assertEquals(await codeOf(files.list(`${folder}/a`)), "FILE_UNREADABLE");
    await files.remove(`${folder}/c`);
    assertEquals(names(folder), ["a", "b"]);
    await files.remove(`${folder}/b`);
    await files.remove(`${folder}/b`);
    await files.rename(`${folder}/a`, `${folder}/d`);
    assertEquals(names(folder), ["d"]);
  });
});

Deno.test("a writer that is killed leaves the old content, and at most names that are recognised", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/state.json`;
    await Deno.writeTextFile(path, "0".repeat(100_000));
    for (let round = 0; round < 5; round += 1) {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", new URL("./write_loop.ts", import.meta.url).href, path],
        stdout: "piped",
      }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      await new Promise((resolve) => setTimeout(resolve, 7 * round));
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
      const text = await Deno.readTextFile(path);
      assertEquals(text.length, 100_000);
      assertEquals(new Set(text).size, 1);
    }
    const left = names(folder).filter((name) => name !== "state.json");
    assertEquals(left.filter((name) => !isLeftover(name)), []);
  });
});

/** Mounts a file system of 256 KiB for the test; only root can, in a place where mounting is allowed. */
async function onTinyDisk(body: (disk: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    await run("mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "tmpfs", folder);
    try {
      await body(folder);
    } finally {
      await run("umount", folder);
    }
  });
}

async function run(program: string, ...args: string[]): Promise<void> {
  const ran = await new Deno.Command(program, { args }).output();
  if (!ran.success) throw new Error(`${program}: ${new TextDecoder().decode(ran.stderr)}`);
}
