/**
 * The identity file before a bridge is started with it: read again when it is away or half written,
 * as it is for a moment while somebody renews it (facts: ziti §3), and judged, so that a person gets
 * a better reason than the addon's.
 */

import { AgentError } from "../errors.ts";
import { identityAge, readIdentity, WARN_BELOW_DAYS } from "../model/identity.ts";
import { osCode } from "./file_faults.ts";

/** How often, and how far apart. */
const READINGS = 3;
const PAUSE_MS = 1_000;
const MAX_BYTES = 1 << 20;

/** Which file it was: another inode, time or size is a renewed identity. Null: there is none now. */
export type IdentityStamp = string | null;

/** Gives the file's stamp. */
export function identityStamp(path: string): IdentityStamp {
  try {
    const { ino, mtime, size } = Deno.statSync(path);
    return `${ino} ${mtime?.getTime()} ${size}`;
  } catch {
    return null;
  }
}

/**
 * Reads and judges the file; ends early when the signal aborts. Gives the days its certificate has
 * left when they are few enough for a warning, else null. Throws ZITI_IDENTITY or PERMISSION_MISSING,
 * naming the path.
 */
export async function checkIdentity(path: string): Promise<number | null> {
  for (let reading = 1;; reading += 1) {
    const outcome = await readOnce(path);
    if (typeof outcome !== "string") return outcome.daysLeft;
    if (reading === READINGS) throw identityFault(path, outcome);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Gives the days left, or what is wrong and may be right in a second. Throws what a wait cannot cure. */
async function readOnce(path: string): Promise<string | { readonly daysLeft: number | null }> {
  const text = await readText(path);
  if (text === null) return "is not there";
  const reading = readIdentity(text);
  if ("wrong" in reading) return reading.wrong;
  const age = identityAge(reading.identity, Date.now());
  if ("wrong" in age) throw identityFault(path, age.wrong);
  const { daysLeft } = age;
  return { daysLeft: daysLeft !== null && daysLeft < WARN_BELOW_DAYS ? daysLeft : null };
}

async function readText(path: string): Promise<string | null> {
  try {
    const { size } = await Deno.stat(path);
    if (size > MAX_BYTES) throw identityFault(path, `is larger than ${MAX_BYTES} bytes`);
    return await Deno.readTextFile(path);
  } catch (thrown) {
    if (thrown instanceof AgentError) throw thrown;
    if (thrown instanceof Deno.errors.NotCapable) {
      throw new AgentError("PERMISSION_MISSING", `the agent was not started with read ${path}`, {
        data: { path, phase: "dial" },
      });
    }
    if (osCode(thrown) === "ENOENT") return null;
    throw identityFault(path, "may not be read by this user");
  }
}

function identityFault(path: string, wrong: string): AgentError {
  return new AgentError("ZITI_IDENTITY", `the identity file ${path} ${wrong}`, {
    data: { path, phase: "dial" },
  });
}
