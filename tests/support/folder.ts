/** Folders that a test fills and that are gone afterwards. */

/** Runs a function over a folder that holds these files. */
export async function inFolder<T>(
  files: Record<string, string>,
  use: (root: string) => Promise<T>,
): Promise<T> {
  const root = await Deno.makeTempDir({ prefix: "monky-quality-" });
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${root}/${path}`, text);
    }
    return await use(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}
