/**
 * Reads `meta.json` (SPEC §3): for whom a bundle was rendered, its number, its images, and what it
 * asks of the agent. Names every problem at once; unknown keys are ignored.
 */

import * as z from "zod/mini";
import { AgentError } from "../errors.ts";
import type { BundleMeta } from "./bundle.ts";
import { listProblems, schemaProblems } from "./bundle_problems.ts";
import { parseJson } from "./json.ts";

const text = z.string().check(z.minLength(1, "is empty"), z.maxLength(1_024, "is too long"));
const count = z.int({ error: "must be a whole number from 0" }).check(
  z.gte(0, "must be a whole number from 0"),
);

const META = z.object({
  env_id: z.nullish(text),
  serial: z.nullish(count),
  created_at: z.nullish(z.iso.datetime({ offset: true, error: "must be an RFC 3339 time" })),
  images: z.nullish(z.array(z.object({ ref: text, size_bytes: count }))),
  agent: z.nullish(z.object({
    allow_rollback: z.nullish(z.boolean()),
    min_version: z.nullish(
      z.string().check(z.regex(/^v?\d{1,9}\.\d{1,9}\.\d{1,9}(-[0-9A-Za-z.-]{1,64})?$/, {
        error: "must be a version like 0.2.0",
      })),
    ),
  })),
});

/** The meta data of a bundle that has none. */
export const EMPTY_META: BundleMeta = {
  envId: null,
  serial: null,
  createdAt: null,
  images: [],
  allowRollback: false,
  minVersion: null,
};

/** Takes the bytes of `meta.json`; gives the meta data. Throws META_INVALID. */
export function parseMeta(content: Uint8Array): BundleMeta {
  const value = parseJson(content, { code: "META_INVALID", what: "meta.json" });
  const parsed = META.safeParse(value);
  if (!parsed.success) {
    const problems = listProblems(schemaProblems(parsed.error, value));
    throw new AgentError("META_INVALID", `meta.json: ${problems}`);
  }
  const { env_id, serial, created_at, images, agent } = parsed.data;
  return {
    envId: env_id ?? null,
    serial: serial ?? null,
    createdAt: created_at ?? null,
    images: (images ?? []).map((image) => ({ ref: image.ref, sizeBytes: image.size_bytes })),
    allowRollback: agent?.allow_rollback ?? false,
    minVersion: agent?.min_version ?? null,
  };
}
