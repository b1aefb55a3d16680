/**
 * Binds (SPEC §9): only what the bundle brings and what policy.bind_allow names, symbolic links
 * followed; never the Engine's socket. `driver_opts` of a named volume and the files behind configs
 * and secrets are binds too.
 */

import { isWithin, normalise, placeOf } from "./bind_place.ts";
import { type Finding, finding, MISSING } from "./finding.ts";
import type { ModelFacts, PathFact } from "./model_facts.ts";
import { isTree } from "./shape.ts";
import type { Place } from "./rule.ts";

/** What is bound, and how. */
export interface Bind {
  readonly source: string;
  readonly readOnly: boolean;
  /** Docker makes a folder of a source that is missing. */
  readonly createHostPath: boolean;
}

/** Takes a bind and its place; gives what is wrong with it. */
export function judgeBind(bind: Bind, at: Place): readonly Finding[] {
  const { facts, key } = at;
  const path = normalise(bind.source);
  if (path === null) return [finding("bind", { value: bind.source, key, why: "is not absolute" })];
  const sockets = holdsSocket(path, facts)
    ? [finding("docker_socket", { key, why: "whoever reaches it owns the box" })]
    : [];
  if (facts.sockets.includes(path)) return sockets;
  const roots = isWithin(facts.dataRoot, path) || isWithin(path, facts.dataRoot)
    ? [finding("docker_data_root", { key, why: "it holds every container of the box" })]
    : [];
  return [...sockets, ...roots, ...judgePlace(path, bind, at)];
}

function judgePlace(path: string, bind: Bind, { facts, key }: Place): readonly Finding[] {
  const place = placeOf(path, facts);
  switch (place.kind) {
    case "outside":
      return [finding("bind", { value: path, key, why: "lies outside policy.bind_allow" })];
    case "agent":
      return [finding("bind", { value: path, key, why: "holds the agent's own files" })];
    case "stray":
      return [missing(path, key)];
    case "allowed": {
      const fact = facts.paths.get(place.look);
      const real = realFindings(path, { fact, facts, key });
      const isMissing = fact?.kind === null && !bind.createHostPath;
      return [...real, ...(isMissing ? [finding(MISSING, { value: path, key })] : [])];
    }
    case "bundle": {
      const fact = facts.paths.get(place.look);
      if (fact?.kind === null) return [missing(place.path, key)];
      return [
        ...realFindings(path, { fact, facts, key }),
        ...(bind.readOnly ? [] : writableReads(place.path, { facts, key })),
      ];
    }
  }
}

/**
 * Where the path really leads. Within the bundle's folder no link is known to the agent: one that is
 * there was planted by a container.
 */
function realFindings(
  path: string,
  { fact, facts, key }: {
    readonly fact: PathFact | undefined;
    readonly facts: ModelFacts;
    readonly key: string;
  },
): readonly Finding[] {
  const real = fact?.real ?? null;
  if (real === null || fact?.kind === "hidden") {
    const why = real === null ? "could not be looked at" : `leads to ${JSON.stringify(real)}`;
    return [finding("bind", { value: path, key, why })];
  }
  if (holdsSocket(real, facts) && !holdsSocket(path, facts)) {
    return [finding("docker_socket", { key, why: "a link leads to it" })];
  }
  const place = placeOf(real, facts).kind;
  if (place === "bundle" || place === "allowed") return [];
  return [finding("bind", { value: path, key, why: `leads to ${JSON.stringify(real)}` })];
}

/** What compose reads again at a repair must not be what a container has written. */
function writableReads(
  path: string,
  { facts, key }: { readonly facts: ModelFacts; readonly key: string },
): readonly Finding[] {
  const held = facts.reads.filter((read) => path === "" || isWithin(read, path));
  if (held.length === 0) return [];
  const why = `compose reads ${held[0]} of it: bind it read-only`;
  return [finding("writable", { value: path === "" ? "." : path, key, why })];
}

function holdsSocket(path: string, { sockets }: ModelFacts): boolean {
  return sockets.some((socket) => isWithin(socket, path));
}

function missing(path: string, key: string): Finding {
  return finding(MISSING, { value: path, key, why: "the bundle does not bring it" });
}

/** Takes a volume's driver_opts; gives the device when it is a bind under another name. */
export function boundDevice(options: unknown): string | null {
  if (!isTree(options) || typeof options["device"] !== "string") return null;
  const flags = typeof options["o"] === "string" ? options["o"].split(",") : [];
  const isBind = flags.some((flag) => /^r?bind$/.test(flag.trim())) || options["type"] === "bind";
  return isBind ? options["device"] : null;
}
