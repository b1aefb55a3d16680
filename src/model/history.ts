/**
 * history.json: what the deploying part of past ticks did, for the person who asks `history`. No
 * decision looks at it; what decides (rollback, prune) stands in state.json. Printed as it is kept.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import { parseJson } from "./json.ts";
import { lazy } from "./lazy.ts";
import { moment } from "./moment.ts";
import type { ReportResult, StepReport } from "./state.ts";

/** One apply, repair, removal or restore, in the spelling of `history --json`. Times: RFC 3339, UTC. */
export interface ApplyRecord {
  readonly started_at: string;
  readonly finished_at: string;
  readonly result: ReportResult;
  readonly sha: string | null;
  readonly serial: number | null;
  /** Why the tick did it. */
  readonly cause: string;
  /** Null unless it failed. */
  readonly code: string | null;
  readonly message: string | null;
  readonly token_source: "bootstrap" | "lease" | null;
  readonly steps: readonly StepReport[];
  /** How often in a row it ended like this; the rest is of the last time. */
  readonly times: number;
  /** When the first of these began. */
  readonly since: string;
}

const schema = lazy(() =>
  z.object({
    v: z.literal(1),
    applies: z.array(z.object({
      started_at: moment,
      finished_at: moment,
      result: z.enum(["applied", "failed", "removed", "repaired", "restored"]),
      sha: z.nullable(z.string()),
      serial: z.nullable(z.number()),
      cause: z.string(),
      code: z.nullable(z.string()),
      message: z.nullable(z.string()),
      token_source: z.nullable(z.enum(["bootstrap", "lease"])),
      steps: z.array(z.object({ action: z.string(), ms: z.number(), ok: z.boolean() })),
      times: z.number(),
      since: moment,
    })),
  })
);

/** Takes the bytes of history.json; gives the applies, oldest first, or null when they are none. */
export function parseHistory(bytes: Uint8Array): readonly ApplyRecord[] | null {
  try {
    const json = parseJson(bytes, { code: "FILE_UNREADABLE", what: "history.json" });
    const result = z.safeParse(schema(), json);
    return result.success ? result.data.applies : null;
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}

/** Takes the applies, oldest first; gives the bytes of history.json. */
export function formatHistory(applies: readonly ApplyRecord[]): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ v: 1, applies }, null, 2)}\n`);
}
