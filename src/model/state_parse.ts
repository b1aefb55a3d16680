/**
 * state.json ↔ AgentState (version 1). A file that is torn, of another version or mistyped is
 * `null`: the store keeps it aside and the tick rebuilds what it can (SPEC §4.3).
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import { parseJson } from "./json.ts";
import { epochMs, moment } from "./moment.ts";
import { releasedSchema } from "./released_schema.ts";
import type { AgentState } from "./state.ts";
import { SHA_PATTERN } from "./tenancy_wire.ts";

const VERSION = 1;

const sha = z.string().check(z.regex(SHA_PATTERN));
const serial = z.nullable(z.number());
const secrets = z.array(z.object({ var: z.string(), version: z.number() }));
const release = z.object({ sha, serial, at: moment });

const knownCompose = z.object({ path: z.string(), identity: z.string(), version: z.string() });

const service = z.object({
  name: z.string(),
  state: z.string(),
  health: z.nullable(z.string()),
  image: z.string(),
  restarts: z.optional(z.number()),
});

const report = z.object({
  report_id: z.string(),
  env_id: z.string(),
  sha: z.nullable(z.string()),
  serial,
  result: z.enum(["applied", "failed", "removed", "repaired", "restored"]),
  code: z.optional(z.string()),
  detail: z.optional(z.string()),
  started_at: z.string(),
  finished_at: z.string(),
  agent_version: z.string(),
  token_source: z.nullable(z.enum(["bootstrap", "lease"])),
  steps: z.array(z.object({ action: z.string(), ms: z.number(), ok: z.boolean() })),
  services: z.array(service),
  secrets,
});

const schema = z.object({
  v: z.literal(VERSION),
  envId: z.string(),
  project: z.string(),
  // Nothing is lost with it: one that cannot be read is no reason to put the state aside.
  compose: z.catch(z.optional(knownCompose), undefined),
  applied: z.nullable(release),
  released: z.nullable(releasedSchema),
  secrets,
  history: z.array(release),
  failed: z.nullable(z.object({
    sha,
    code: z.string(),
    detail: z.optional(z.string()),
    hint: z.optional(z.string()),
    attempts: z.number(),
    at: epochMs,
    nextAttemptAt: epochMs,
    quarantined: z.boolean(),
  })),
  applying: z.nullable(z.object({ sha, step: z.string(), since: moment })),
  repairs: z.array(epochMs),
  outbox: z.array(report),
});

/** Takes the bytes of state.json; gives the state, or null when they are none. Throws nothing. */
export function parseState(bytes: Uint8Array): AgentState | null {
  try {
    const json = parseJson(bytes, { code: "FILE_UNREADABLE", what: "state.json" });
    const result = z.safeParse(schema, json);
    if (!result.success) return null;
    const { v: _version, ...state } = result.data;
    return state as AgentState;
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}

/** Takes a state; gives the bytes of state.json, indented, since people read it at night. */
export function formatState(state: AgentState): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ v: VERSION, ...state }, null, 2)}\n`);
}
