/**
 * last_tick.json: what tenancy wanted last, and why the last tick could not do its work, for `status`
 * alone. Written when it changes, so that a tick that ends as the one before writes nothing.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import { parseJson } from "./json.ts";
import { lazy } from "./lazy.ts";
import { moment } from "./moment.ts";

/** What tenancy wanted when it was asked last. */
export type LastDesired =
  | { readonly state: "absent" }
  | { readonly state: "present"; readonly sha: string; readonly serial: number | null };

/** A failure of a tick that is not that of a release, which state.json keeps. */
export interface Trouble {
  readonly code: string;
  readonly message: string;
  /** The operator's next action. */
  readonly hint: string;
  /** RFC 3339, UTC: when a tick ended like this first. */
  readonly since: string;
}

/** What is kept of the last tick. */
export interface LastTick {
  /** Null: tenancy was never asked. */
  readonly desired: LastDesired | null;
  /** Null: the last tick did its work. */
  readonly trouble: Trouble | null;
}

const schema = lazy(() =>
  z.object({
    v: z.literal(1),
    desired: z.nullable(z.discriminatedUnion("state", [
      z.object({ state: z.literal("absent") }),
      z.object({
        state: z.literal("present"),
        sha: z.string(),
        serial: z.nullable(z.number()),
      }),
    ])),
    trouble: z.nullable(z.object({
      code: z.string(),
      message: z.string(),
      hint: z.string(),
      since: moment,
    })),
  })
);

/** Takes the bytes of last_tick.json; gives what they hold, or null when that is nothing. */
export function parseLastTick(bytes: Uint8Array): LastTick | null {
  try {
    const json = parseJson(bytes, { code: "FILE_UNREADABLE", what: "last_tick.json" });
    const result = z.safeParse(schema(), json);
    if (!result.success) return null;
    const { desired, trouble } = result.data;
    return { desired, trouble };
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}

/** Takes what is kept; gives the bytes of last_tick.json, equal for what is equal. */
export function formatLastTick({ desired, trouble }: LastTick): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ v: 1, desired, trouble }, null, 2)}\n`);
}

/** Takes what tenancy wants; gives the part of it that is kept, its keys in one order. */
export function lastDesiredOf(desired: LastDesired): LastDesired {
  if (desired.state === "absent") return { state: "absent" };
  return { state: "present", sha: desired.sha, serial: desired.serial };
}
