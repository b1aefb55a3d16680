// The private file through which commands find the tenancy that runs in a folder.

import * as z from "zod/mini";
import { labDir } from "../lab/info.ts";

const AdminFile = z.object({
  /** Port of the admin calls, and the token they ask for. */
  adminPort: z.int(),
  adminToken: z.string(),
  /** Port that agents talk to. */
  port: z.int(),
});

/** Where a running tenancy is, and what opens its admin calls. */
export type AdminInfo = z.infer<typeof AdminFile>;

/** The tenancy folder that is used unless another is named: `tenancy` in the lab's folder. */
export function defaultFolder(): string {
  return `${labDir()}/tenancy`;
}

/** Writes the file, readable by its owner only. */
export async function writeAdminInfo(folder: string, info: AdminInfo): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const path = `${folder}/admin.json`;
  await Deno.writeTextFile(`${path}.new`, `${JSON.stringify(info)}\n`, { mode: 0o600 });
  await Deno.rename(`${path}.new`, path);
}

/**
 * What the last tenancy of the folder wrote, whether or not it still runs; null when none did.
 * Throws `Error` for a file that cannot be read.
 */
export async function readAdminInfo(folder: string): Promise<AdminInfo | null> {
  try {
    return AdminFile.parse(JSON.parse(await Deno.readTextFile(`${folder}/admin.json`)));
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return null;
    throw new Error(`${folder}/admin.json cannot be read: remove it`, { cause });
  }
}
