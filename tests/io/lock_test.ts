/** The lock: busy for a second process, free after kill -9, whatever the file holds (case 60). */

import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { AgentError } from "../../src/errors.ts";
import { createLock } from "../../src/io/lock.ts";

const lock = createLock();
const CASE = new URL("../cases/60-stale-or-removed-lock/", import.meta.url).pathname;

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "lock_" });
  try {
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts a process that takes the lock and holds it until it is killed. */
async function holder(path: string): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL("./lock_holder.ts", import.meta.url).href, path],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "held\n");
  await reader.cancel();
  return child;
}

Deno.test("a lock that another process holds is LOCK_HELD at once, and free after kill -9", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/lock`;
    const child = await holder(path);
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600, "under no umask");
    const failure = await assertRejects(() => lock.acquire(path), AgentError);
    assertEquals(failure.code, "LOCK_HELD");
    child.kill("SIGKILL");
    await child.status;
    await child.stdin.close().catch(() => {});
    (await lock.acquire(path)).release();
  });
});

Deno.test("a released lock can be taken again, and its private file stays", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/lock`;
    const held = await lock.acquire(path);
    await assertRejects(() => lock.acquire(path), AgentError);
    held.release();
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    (await lock.acquire(path)).release();
    assertEquals((await Deno.stat(path)).isFile, true);
  });
});

for (const name of ["lock-pid1", "lock-empty", "lock-garbage"]) {
  Deno.test(`case 60: ${name} that nobody holds is taken, its content untouched`, async () => {
    await inFolder(async (folder) => {
      const content = await Deno.readTextFile(CASE + name);
      await Deno.writeTextFile(`${folder}/lock`, content);
      (await lock.acquire(`${folder}/lock`)).release();
      assertEquals(await Deno.readTextFile(`${folder}/lock`), content);
    });
  });
}

Deno.test("what cannot be a lock is FILE_UNWRITABLE, and a pipe does not hang", async () => {
  await inFolder(async (folder) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    await Deno.symlink("elsewhere", `${folder}/link`);
    for (const path of [folder, `${folder}/pipe`, `${folder}/link`, `${folder}/missing/lock`]) {
      const failure = await lock.acquire(path).catch((thrown) => thrown);
      assertInstanceOf(failure, AgentError);
      assertEquals(failure.code, "FILE_UNWRITABLE");
    }
  });
});

Deno.test("a child of the holder does not keep the lock", async () => {
  await inFolder(async (folder) => {
    const held = await lock.acquire(`${folder}/lock`);
    const child = new Deno.Command("sleep", { args: ["30"] }).spawn();
    held.release();
    (await lock.acquire(`${folder}/lock`)).release();
    child.kill("SIGKILL");
    await child.status;
  });
});

Deno.test("a released lock is free at once, also while another thread is starting programs", async () => {
  await inFolder(async (folder) => {
    const worker = new Worker(new URL("./lock_forker.ts", import.meta.url).href, {
      type: "module",
    });
    let over = false;
    const started = new Promise<number>((resolve) => {
      worker.onmessage = ({ data }): void => {
        over = true;
        resolve(data as number);
      };
    });
    // As soon as one program was started, until the last was.
    for (let count = 0; !over || count === 0; count += 1) {
      (await lock.acquire(`${folder}/lock`)).release();
      if (count % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
    assertEquals(await started, 100);
    worker.terminate();
  });
});
