/**
 * release.json, kept with each release that was healthy: what it was and how it ran. A box whose
 * state.json is lost knows by it what is applied.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import type { SecretVersion } from "./bundle.ts";
import type { Released } from "./containers.ts";
import { parseJson } from "./json.ts";
import { moment } from "./moment.ts";
import { releasedSchema } from "./released_schema.ts";
import { SHA_PATTERN } from "./tenancy_wire.ts";

/** One release as it was when it was healthy. */
export interface ReleaseRecord {
  readonly envId: string;
  readonly sha: string;
  readonly serial: number | null;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly released: Released;
  /** References of the images that its services run, sorted. */
  readonly images: readonly string[];
  readonly secrets: readonly SecretVersion[];
}

const schema = z.object({
  v: z.literal(1),
  envId: z.string(),
  sha: z.string().check(z.regex(SHA_PATTERN)),
  serial: z.nullable(z.number()),
  at: moment,
  released: releasedSchema,
  images: z.array(z.string()),
  secrets: z.array(z.object({ var: z.string(), version: z.number() })),
});

/** Takes the bytes of release.json; gives the record, or null when they are none. Throws nothing. */
export function parseReleaseRecord(bytes: Uint8Array): ReleaseRecord | null {
  try {
    const json = parseJson(bytes, { code: "FILE_UNREADABLE", what: "release.json" });
    const result = z.safeParse(schema, json);
    if (!result.success) return null;
    const { v: _version, ...record } = result.data;
    return record;
  } catch (thrown) {
    if (thrown instanceof AgentError) return null;
    throw thrown;
  }
}

/** Takes a record; gives the text of release.json. */
export function formatReleaseRecord(record: ReleaseRecord): string {
  return `${JSON.stringify({ v: 1, ...record }, null, 2)}\n`;
}
