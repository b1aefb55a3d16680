/**
 * Makes a bundle of tenancy's reply (SPEC §3): files that pass the limits and add up to the sha that
 * was asked for, with the files that have a meaning parsed. Signatures are checked elsewhere.
 */

import * as z from "zod/mini";
import { AgentError, type Code } from "../errors.ts";
import type { Bundle, BundleFile, BundleMeta } from "./bundle.ts";
import { decodeFiles } from "./bundle_files.ts";
import { bundleListing, type Sha256 } from "./bundle_listing.ts";
import { EMPTY_META, parseMeta } from "./bundle_meta.ts";
import { listProblems, schemaProblems } from "./bundle_problems.ts";
import { EMPTY_MANIFEST, parseManifest } from "./manifest_parse.ts";

const serial = z.nullish(z.int().check(z.gte(0, "must be a whole number from 0")));

const REPLY = z.object({
  sha: z.string(),
  serial,
  signature: z.nullish(z.string().check(z.maxLength(16_384, "is too long"))),
  files: z.custom<Readonly<Record<string, unknown>>>(isRecord, "must be an object"),
});

/** What the caller knows of the bundle it asked for. */
export interface Expected {
  /** 64 lower-case hex digits. */
  readonly sha: string;
  /** The serial that the check-in named with the sha, or null. */
  readonly serial: number | null;
  readonly sha256: Sha256;
}

/**
 * Takes the parsed JSON of `GET bundles/<sha>`; gives the bundle. Its serial is the reply's, else
 * meta.json's, else the check-in's. Throws TENANCY_PROTOCOL (missing or mistyped fields, another
 * bundle than asked for), BUNDLE_TOO_LARGE, BUNDLE_INVALID, BUNDLE_CORRUPT, COMPOSE_FILE_INVALID,
 * MANIFEST_INVALID, META_INVALID, TEMPLATE_INVALID.
 */
export async function parseBundle(reply: unknown, expected: Expected): Promise<Bundle> {
  const parsed = REPLY.safeParse(reply);
  if (!parsed.success) {
    const problems = listProblems(schemaProblems(parsed.error, reply));
    throw new AgentError("TENANCY_PROTOCOL", `the bundle reply: ${problems}`);
  }
  const files = decodeFiles(parsed.data.files);
  await checkSha(files, expected);
  if (parsed.data.sha !== expected.sha) {
    throw new AgentError("TENANCY_PROTOCOL", "the bundle reply names another sha than its files");
  }
  const content = (path: string): Uint8Array | undefined =>
    files.find((file) => file.path === path)?.content;
  const compose = content("docker-compose.yml");
  if (compose === undefined) {
    throw new AgentError("BUNDLE_INVALID", "the bundle has no docker-compose.yml");
  }
  const manifest = content("manifest.json");
  const meta = content("meta.json");
  const template = content(".env.template");
  const parsedMeta = meta === undefined ? EMPTY_META : parseMeta(meta);
  return {
    sha: expected.sha,
    serial: agreedSerial(parsed.data.serial ?? null, parsedMeta, expected.serial),
    signature: parsed.data.signature ?? null,
    files,
    manifest: manifest === undefined ? EMPTY_MANIFEST : parseManifest(manifest),
    meta: parsedMeta,
    template: template === undefined ? null : text(template, ".env.template", "TEMPLATE_INVALID"),
    compose: text(compose, "docker-compose.yml", "COMPOSE_FILE_INVALID"),
  };
}

/**
 * Takes a bundle's files, e.g. read back from a release on disk; throws BUNDLE_CORRUPT when their
 * listing does not hash to the expected sha.
 */
export async function checkSha(
  files: readonly Pick<BundleFile, "path" | "content">[],
  expected: Pick<Expected, "sha" | "sha256">,
): Promise<void> {
  const listing = await bundleListing(files, expected.sha256);
  const actual = await expected.sha256(new TextEncoder().encode(listing));
  if (actual === expected.sha) return;
  throw new AgentError(
    "BUNDLE_CORRUPT",
    `the files of bundle ${expected.sha} add up to ${actual}`,
    {
      data: { expected: expected.sha, actual },
    },
  );
}

/**
 * Three places may number a bundle. meta.json is covered by the sha, so it must not be contradicted:
 * rollback is judged by the number. The other two are tenancy's word; they must agree as well.
 */
function agreedSerial(
  reply: number | null,
  meta: BundleMeta,
  desired: number | null,
): number | null {
  if (reply !== null && desired !== null && reply !== desired) {
    throw new AgentError(
      "TENANCY_PROTOCOL",
      `the check-in says serial ${desired} and the bundle reply ${reply}`,
    );
  }
  const told = reply ?? desired;
  if (told !== null && meta.serial !== null && told !== meta.serial) {
    throw new AgentError(
      "BUNDLE_INVALID",
      `tenancy says serial ${told} and meta.json ${meta.serial}`,
    );
  }
  return told ?? meta.serial;
}

function text(content: Uint8Array, path: string, code: Code): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new AgentError(code, `${path} is not UTF-8`);
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
