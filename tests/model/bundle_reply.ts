/** Bundle replies for tests: right ones by default, with what a test wants changed. */

import { AgentError } from "../../src/errors.ts";
import { bundleListing } from "../../src/model/bundle_listing.ts";
import { type Expected, parseBundle } from "../../src/model/bundle_parse.ts";
import type { Bundle } from "../../src/model/bundle.ts";

/** The digest that the agent is given by its ports. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes))).toHex();
}

/** A file as the reply carries it, or its text. */
export type WireFile = string | {
  readonly content?: unknown;
  readonly encoding?: unknown;
  readonly mode?: unknown;
};

/** A reply and what the caller expected of it. */
export interface Exchange {
  readonly reply: Record<string, unknown>;
  readonly expected: Expected;
}

const COMPOSE = "services: {a: {image: x}}\n";

/** Makes the reply to a bundle of these files; a docker-compose.yml is added unless one is given. */
export async function exchange(
  given: Readonly<Record<string, WireFile>>,
  serial: number | null = null,
): Promise<Exchange> {
  const files = Object.entries({ "docker-compose.yml": COMPOSE, ...given }).map(([path, file]) => {
    const wire = typeof file === "string" ? { content: file } : file;
    return { path, wire, content: bytesOf(wire) };
  });
  const listing = await bundleListing(files, sha256);
  const sha = await sha256(new TextEncoder().encode(listing));
  return {
    reply: { sha, files: Object.fromEntries(files.map(({ path, wire }) => [path, wire])) },
    expected: { sha, serial, sha256 },
  };
}

function bytesOf(file: Exclude<WireFile, string>): Uint8Array {
  const content = String(file.content);
  if (file.encoding !== "base64") return new TextEncoder().encode(content);
  try {
    return Uint8Array.fromBase64(content);
  } catch {
    return new Uint8Array();
  }
}

/** Parses the bundle of these files; gives it, or the error's `CODE: message`. */
export async function parsed(
  given: Readonly<Record<string, WireFile>>,
  serial: number | null = null,
): Promise<Bundle | string> {
  const { reply, expected } = await exchange(given, serial);
  return await outcome(reply, expected);
}

/** Parses a reply; gives the bundle, or the error's `CODE: message`. Any other error is thrown on. */
export async function outcome(reply: unknown, expected: Expected): Promise<Bundle | string> {
  try {
    return await parseBundle(reply, expected);
  } catch (error) {
    if (error instanceof AgentError) return `${error.code}: ${error.message}`;
    throw error;
  }
}
