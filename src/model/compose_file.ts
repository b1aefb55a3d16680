/**
 * A compose file as YAML: parsed by the agent itself before compose sees it (SPEC §4), with limits,
 * since a few hundred bytes of aliases can stand for gigabytes.
 */

import { parse } from "@std/yaml";
import { AgentError } from "../errors.ts";

/** Deeper than any file that a person writes. */
const MAX_DEPTH = 64;
/** Nodes counted as often as aliases repeat them. */
const MAX_NODES = 200_000;

/**
 * Takes the text of a compose file and its path for messages; gives the document, a map. Throws
 * COMPOSE_FILE_INVALID when it is no YAML, no map, too deep, or grows too large by its aliases.
 */
export function parseComposeFile(
  text: string,
  path: string,
): Readonly<Record<string, unknown>> {
  const document = parseYaml(text, path);
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new AgentError("COMPOSE_FILE_INVALID", `${path} is not a map of services`);
  }
  measure(document, path);
  return document as Readonly<Record<string, unknown>>;
}

function parseYaml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (thrown) {
    // The parser's message quotes the text; a bundle holds no secrets, but its author may err.
    const line = thrown instanceof Error ? /\((\d+):\d+\)/.exec(thrown.message)?.[1] : undefined;
    const where = line === undefined ? "" : ` (line ${line})`;
    throw new AgentError("COMPOSE_FILE_INVALID", `${path} is not valid YAML${where}`);
  }
}

/** Walks without recursion: depth is one of the things it looks for. */
function measure(document: object, path: string): void {
  const rest: { readonly node: unknown; readonly depth: number }[] = [{ node: document, depth: 1 }];
  let nodes = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { node, depth } = next;
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
      throw new AgentError("COMPOSE_FILE_INVALID", `${path} is nested or repeated beyond reason`, {
        data: { max_nodes: MAX_NODES, max_depth: MAX_DEPTH },
      });
    }
    if (typeof node !== "object" || node === null) continue;
    for (const child of Object.values(node)) rest.push({ node: child, depth: depth + 1 });
  }
}
