/** Asks systemd about units with `systemctl show`, which changes nothing and needs no right. */

import { hasCode } from "../errors.ts";
import type { Exec } from "../ports.ts";

const TIMEOUT_MS = 5_000;

/**
 * Gives what `systemctl show` prints of the units, one block each; `absent`: this box has no systemd
 * or it does not run; `refused`: this process was not started with the permission to ask.
 */
export async function showUnits(
  exec: Exec,
  { program, units, properties }: {
    readonly program: string;
    readonly units: readonly string[];
    readonly properties: readonly string[];
  },
): Promise<{ readonly text: string } | "absent" | "refused"> {
  try {
    const { code, stdout } = await exec.run({
      program,
      args: ["show", "--no-pager", `--property=${properties.join(",")}`, "--", ...units],
      env: { LC_ALL: "C" },
      timeoutMs: TIMEOUT_MS,
    });
    return code === 0 ? { text: new TextDecoder().decode(stdout) } : "absent";
  } catch (thrown) {
    if (hasCode(thrown, "PERMISSION_MISSING")) return "refused";
    if (hasCode(thrown, "COMPOSE_MISSING", "SPAWN_FAILED")) return "absent";
    throw thrown;
  }
}
