/**
 * The runtime that is shipped: the ELF of Deno's npm package, at the version and with the checksum of
 * packaging/runtime.json, the one place that pins them. The Deno that runs the build is that file
 * already when it came through npm; else npm fetches it. Its checksum decides, never its name.
 */

import * as z from "zod/mini";
import { sha256Of } from "./checksums.ts";
import { runProgram } from "./run.ts";

const SHA256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const RUNTIME = z.object({
  deno: z.string(),
  package: z.string(),
  /** Of the package's tarball, as npm's registry and lockfiles give it. */
  integrity: z.string().check(z.startsWith("sha512-")),
  /** Of the ELF file in it. */
  sha256: SHA256,
});

/** The pinned runtime, as packaging/runtime.json has it. */
export type Runtime = Readonly<z.infer<typeof RUNTIME>>;

/** Reads the pin of a project. Throws Error when it is malformed. */
export async function readRuntime(root: string): Promise<Runtime> {
  return RUNTIME.parse(JSON.parse(await Deno.readTextFile(`${root}/packaging/runtime.json`)));
}

/**
 * Takes the pin and a folder to keep the file in; gives the path of the runtime's ELF file.
 * Throws Error when npm cannot get it, or when what it got is not what was pinned.
 */
export async function fetchRuntime(runtime: Runtime, folder: string): Promise<string> {
  const kept = `${folder}/deno-${runtime.deno}`;
  for (const path of [kept, Deno.execPath()]) {
    if (await hasSum(path, runtime.sha256)) return path;
  }
  await Deno.mkdir(folder, { recursive: true });
  const name = `${runtime.package}@${runtime.deno}`;
  const packed = await runProgram("npm", { args: ["pack", "--json", name], cwd: folder });
  const [{ filename, integrity }] = PACKED.parse(JSON.parse(packed));
  if (integrity !== runtime.integrity) {
    throw new Error(`${name} has the checksum ${integrity}, and ${runtime.integrity} is pinned`);
  }
  await runProgram("tar", { args: ["-xzf", filename, "package/deno"], cwd: folder });
  await Deno.rename(`${folder}/package/deno`, kept);
  await Deno.remove(`${folder}/package`, { recursive: true });
  await Deno.remove(`${folder}/${filename}`);
  if (await hasSum(kept, runtime.sha256)) return kept;
  throw new Error(`the runtime in ${name} is not the file that packaging/runtime.json pins`);
}

const PACKED = z.tuple([z.object({ filename: z.string(), integrity: z.string() })]);

async function hasSum(path: string, sha256: string): Promise<boolean> {
  try {
    return await sha256Of(await Deno.readFile(path)) === sha256;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
