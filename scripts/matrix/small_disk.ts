/** A folder on a file system of its own that can be filled to the brim: tmpfs, so it needs root. */

/** tmpfs gives space in pages. */
const PAGE_BYTES = 4096;

/** A mounted small file system. */
export interface SmallDisk {
  /** Fills it up but for so many pages of 4 KiB. */
  fill(leavePages: number): Promise<void>;
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
        if (!(error instanceof Error) || !/No space left/.test(error.message)) throw error;
      }
      if (pages < leavePages) throw new Error(`${path} has no ${leavePages} free pages to leave`);
      await file.truncate((pages - leavePages) * PAGE_BYTES);
    },
    makeRoom: () => Deno.remove(filler),
    close: () => runOrThrow("umount", [path]),
    [Symbol.asyncDispose]: () => disk.close(),
  };
  return disk;
}

async function runOrThrow(program: string, args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr).trim()}`);
}
