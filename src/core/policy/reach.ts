/**
 * Every compose file that compose would open, from docker-compose.yml on (SPEC §4): by `include` and
 * `extends.file`, nested and in circles, bounded. Text in, documents and findings out.
 */

import { AgentError } from "../../errors.ts";
import {
  type ComposeReading,
  type ComposeTree,
  readComposeFile,
} from "../../model/compose_file.ts";
import type { Finding } from "./finding.ts";
import { type ComposePlace, readFile } from "./read_file.ts";

/** The file that compose is given. */
export const MAIN_FILE = "docker-compose.yml";

/** More than any bundle that a person has to understand. */
const MAX_FILES = 100;
/** A file that is meant from several folders is judged once for each. */
const MAX_PLACES = 400;

/** A bundle's files by path, as texts. */
export interface BundleTexts {
  /** Says whether the bundle has a file of that path. */
  readonly has: (path: string) => boolean;
  /** Gives a file's text; throws COMPOSE_FILE_INVALID when it is not UTF-8. */
  readonly text: (path: string) => string;
}

/** What compose would open. */
export interface Reached {
  /** The compose files with their merge keys carried out; the main one first. */
  readonly documents: readonly { readonly path: string; readonly document: ComposeTree }[];
  readonly findings: readonly Finding[];
  /** Files that compose reads from the project's folder, sorted: it reads the main one elsewhere. */
  readonly reads: readonly string[];
  /** Those of them that compose fills variables into, sorted. */
  readonly envFiles: readonly string[];
}

/**
 * Takes a bundle's files; gives what compose would open. Throws COMPOSE_FILE_INVALID when a compose
 * file cannot be read, or when there are too many.
 */
export function reachFiles(texts: BundleTexts): Reached {
  const readings = new Map<string, ComposeReading>();
  const findings: Finding[] = [];
  const reads = new Set<string>();
  const envFiles = new Set<string>();
  const seen = new Set<string>();
  const rest: ComposePlace[] = [{ path: MAIN_FILE, base: "" }];
  for (let place = rest.shift(); place !== undefined; place = rest.shift()) {
    const { path, base } = place;
    const visit = JSON.stringify([path, base]);
    if (seen.has(visit)) continue;
    seen.add(visit);
    const parsed = readings.get(path) ?? readComposeFile(texts.text(path), path);
    readings.set(path, parsed);
    if (readings.size > MAX_FILES || seen.size > MAX_PLACES) throw tooMany();
    const reading = readFile(parsed.tree, { path, base, has: texts.has });
    findings.push(...reading.findings);
    for (const read of reading.reads) reads.add(read);
    for (const file of reading.envFiles) envFiles.add(file);
    rest.push(...reading.next);
  }
  return {
    documents: [...readings].map(([path, { document }]) => ({ path, document })),
    findings,
    reads: [...reads].sort(),
    envFiles: [...envFiles].sort(),
  };
}

function tooMany(): AgentError {
  const message = `${MAIN_FILE} leads to more than ${MAX_FILES} compose files`;
  return new AgentError("COMPOSE_FILE_INVALID", message);
}
