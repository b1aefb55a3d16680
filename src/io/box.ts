/** What the process can see of the box around it: its user, and who listens where. */

import type { Box } from "../ports.ts";

/** Gives the real box. */
export function createBox(): Box {
  return { uid, isTaken };
}

function uid(): number | null {
  try {
    return Deno.uid();
  } catch {
    return null;
  }
}

function isTaken({ host, port }: { readonly host: string; readonly port: number }): boolean | null {
  try {
    Deno.listen({ hostname: host, port }).close();
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.AddrInUse ? true : null;
  }
}
