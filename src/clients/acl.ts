/**
 * Reads ACLs with `getfacl`, since the runtime knows none. Runs it and reads what it says; what an
 * ACL must hold is decided in core/doctor.
 */

import { hasCode } from "../errors.ts";
import { type Acl, parseAcls } from "../model/acl.ts";
import type { Exec } from "../ports.ts";

const TIMEOUT_MS = 5_000;

/**
 * Gives the ACLs of the paths, in their order (`program`: getfacl); null when the program is not there, may not be run,
 * or may not look.
 */
export async function readAcls(
  exec: Exec,
  { program, paths }: { readonly program: string; readonly paths: readonly string[] },
): Promise<readonly Acl[] | null> {
  try {
    const { code, stdout } = await exec.run({
      program,
      args: ["--numeric", "--absolute-names", "--", ...paths],
      env: { LC_ALL: "C" },
      timeoutMs: TIMEOUT_MS,
    });
    const acls = parseAcls(new TextDecoder().decode(stdout));
    return code === 0 && acls.length === paths.length ? acls : null;
  } catch (thrown) {
    if (hasCode(thrown, "COMPOSE_MISSING", "PERMISSION_MISSING", "SPAWN_FAILED")) return null;
    throw thrown;
  }
}
