/** A folder on a file system of its own that can be filled to the brim: tmpfs, so it needs root. */

/** tmpfs gives space in pages. */
const PAGE_BYTES = 4096;
const KEEP_FULL_MS = 2;

/** A mounted small file system. */
export interface SmallDisk {
  /** Fills it up but for so many pages of 4 KiB. */
  fill(leavePages: number): Promise<void>;
  /**
   * Fills it to the brim before it gives back, and takes what becomes free after that, until what
   * it gives is called: a file that is being replaced just now gives its pages back a moment later.
   */
  keepFull(): () => void;
  /** Takes the filling out again. */
  makeRoom(): Promise<void>;
  /** Unmounts it; what was in it is gone. */
  close(): Promise<void>;
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Says whether file systems can be mounted here. */
export async function canMount(): Promise<boolean> {
  const dir = await Deno.makeTempDir({ prefix: "monky-mount-" });
  try {
    await (await mountSmallDisk(dir, 16)).close();
    return true;
  } catch {
    return false;
  } finally {
    await Deno.remove(dir);
  }
}

/** Mounts a file system of so many KiB at a folder, which is made. Throws Error when it may not. */
export async function mountSmallDisk(path: string, sizeKib: number): Promise<SmallDisk> {
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  await runOrThrow("mount", ["-t", "tmpfs", "-o", `size=${sizeKib}k,mode=0700`, "tmpfs", path]);
  const filler = `${path}/filler`;
  const disk: SmallDisk = {
    async fill(leavePages) {
      using file = await Deno.open(filler, { write: true, create: true, truncate: true });
      const page = new Uint8Array(PAGE_BYTES);
      let pages = 0;
      try {
        for (;; pages++) {
          for (let at = 0; at < PAGE_BYTES;) at += await file.write(page.subarray(at));
        }
      } catch (error) {
        if (!isFull(error)) throw error;
      }
      if (pages < leavePages) throw new Error(`${path} has no ${leavePages} free pages to leave`);
      await file.truncate((pages - leavePages) * PAGE_BYTES);
    },
    keepFull: () => keepFull(filler),
    makeRoom: () => Deno.remove(filler),
    close: () => runOrThrow("umount", [path]),
    [Symbol.asyncDispose]: () => disk.close(),
  };
  return disk;
}

/** At once, not in turns with what else this process does: it is to be done before the next write. */
function keepFull(filler: string): () => void {
  const file = Deno.openSync(filler, { write: true, create: true, truncate: true });
  fillUp(file);
  const timer = setInterval(() => fillUp(file), KEEP_FULL_MS);
  return () => {
    clearInterval(timer);
    file.close();
  };
}

function fillUp(file: Deno.FsFile): void {
  const block = new Uint8Array(16 * PAGE_BYTES);
  try {
    for (;;) file.writeSync(block);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && /No space left/.test(error.message);
}

async function runOrThrow(program: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr).trim()}`);
}
