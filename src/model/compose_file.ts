/**
 * A compose file as YAML: parsed by the agent itself before compose sees it (SPEC §4), with limits,
 * since a few hundred bytes of aliases can stand for gigabytes. What compose's own parser would read
 * differently is refused: a policy that looks at another document than compose is none.
 */

import { parse } from "@std/yaml";
import { AgentError } from "../errors.ts";

/** A document whose top is a map. */
export type ComposeTree = Readonly<Record<string, unknown>>;

/** Deeper than any file that a person writes. */
const MAX_DEPTH = 64;
/** Nodes counted as often as aliases repeat them. */
const MAX_NODES = 200_000;

/**
 * Line breaks for compose's parser (YAML 1.1) and none for YAML 1.2: behind one of them a comment
 * ends in compose's eyes alone. A byte order mark is skipped by the one and a letter for the other.
 * Measured with compose 2.26.1: `# x<U+2028>    env_file: /etc/passwd` is read as a key.
 */
const READ_DIFFERENTLY: readonly (readonly [string, string])[] = [
  ["\u0085", "U+0085"],
  ["\u2028", "U+2028"],
  ["\u2029", "U+2029"],
  ["\ufeff", "U+FEFF"],
];

/** One file, read in two ways. */
export interface ComposeReading {
  /** As it is written: a merge key is a key called `<<`. */
  readonly tree: ComposeTree;
  /** With its merge keys carried out. */
  readonly document: ComposeTree;
}

/**
 * Takes the text of a compose file and its path for messages; gives the document, a map. Throws
 * COMPOSE_FILE_INVALID when it is no YAML, no map, holds a key twice, several documents, tags that
 * change what a value is (`!reset`, `!!binary`), or letters that parsers do not agree about; when it
 * is too deep or grows too large by its aliases.
 */
export function readComposeFile(text: string, path: string): ComposeReading {
  for (const [letter, name] of READ_DIFFERENTLY) {
    if (!text.includes(letter)) continue;
    throw invalid(`${path} holds ${name}, which YAML parsers do not agree about`);
  }
  const tree = parseMap(text, { path, schema: "core" });
  measure(tree, path);
  return { tree, document: parseMap(text, { path, schema: "default" }) };
}

/** Like readComposeFile(), for those who want the document alone. Throws COMPOSE_FILE_INVALID. */
export function parseComposeFile(text: string, path: string): ComposeTree {
  return readComposeFile(text, path).document;
}

interface Reading {
  readonly path: string;
  readonly schema: "core" | "default";
}

function parseMap(text: string, { path, schema }: Reading): ComposeTree {
  const document = parseYaml(text, { path, schema });
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw invalid(`${path} is not a map of services`);
  }
  return document as ComposeTree;
}

function parseYaml(text: string, { path, schema }: Reading): unknown {
  try {
    return parse(text, { schema });
  } catch (thrown) {
    // The parser's message quotes the text; a bundle holds no secrets, but its author may err.
    throw invalid(`${path} ${reasonOf(thrown instanceof Error ? thrown.message : "")}`);
  }
}

function reasonOf(message: string): string {
  const line = /\((\d+):\d+\)|\bat line (\d+)/.exec(message);
  const where = line === null ? "" : ` (line ${line[1] ?? line[2]})`;
  if (/single document/i.test(message)) return "holds more than one document";
  if (/unknown tag/i.test(message)) return `uses a tag that the agent does not read${where}`;
  if (/duplicat/i.test(message)) return `holds a key twice in one map${where}`;
  return `is not valid YAML${where}`;
}

function invalid(message: string, limits: Readonly<Record<string, number>> = {}): AgentError {
  return new AgentError("COMPOSE_FILE_INVALID", message, { data: limits });
}

/** Walks without recursion: depth is one of the things it looks for. */
function measure(document: object, path: string): void {
  const rest: { readonly node: unknown; readonly depth: number }[] = [{ node: document, depth: 1 }];
  let nodes = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { node, depth } = next;
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
      throw invalid(`${path} is nested or repeated beyond reason`, {
        max_nodes: MAX_NODES,
        max_depth: MAX_DEPTH,
      });
    }
    if (typeof node !== "object" || node === null) continue;
    for (const child of Object.values(node)) rest.push({ node: child, depth: depth + 1 });
  }
}
