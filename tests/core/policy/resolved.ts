/** Resolved models and the facts they are judged by, as values for tests. */

import { findingName } from "../../../src/core/policy/finding.ts";
import { judgeModel } from "../../../src/core/policy/judge_model.ts";
import type { ModelFacts, PathFact } from "../../../src/core/policy/model_facts.ts";
import { pathsToLookAt } from "../../../src/core/policy/paths.ts";

/** Where the bundle of these tests lies before `up`. */
export const ROOT = "/d/releases/abc";

/** Facts of a box with no permission beyond the default; every path that is looked at is there. */
export function factsOf(resolved: unknown, change: Partial<ModelFacts> = {}): ModelFacts {
  const base: Omit<ModelFacts, "paths"> = {
    policy: { bindAllow: [], registries: [], requireDigest: false, allow: [] },
    deployDir: "/d",
    bundleDirs: [ROOT, "/d/project"],
    reads: [],
    sockets: ["/run/docker.sock", "/var/run/docker.sock"],
    dataRoot: "/var/lib/docker",
    meshRange: "100.64.0.0/10",
    agentPorts: [18443],
    ...change,
  };
  const looked = pathsToLookAt(resolved, base).map((path): [string, PathFact] => [
    path,
    { real: path, kind: path.includes("absent") ? null : "file" },
  ]);
  return { ...base, paths: change.paths ?? new Map(looked) };
}

/** Gives the names of a model's findings, each once. */
export function judged(resolved: unknown, change: Partial<ModelFacts> = {}): readonly string[] {
  return [...new Set(judgeModel(resolved, factsOf(resolved, change)).map(findingName))];
}

/** Gives a model of one service `web`. */
export function web(
  service: Readonly<Record<string, unknown>>,
  rest: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { name: "p", services: { web: { image: "x", ...service } }, ...rest };
}

/** Gives a bind as compose resolves the short form. */
export function bind(source: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { type: "bind", source, target: "/t", bind: { create_host_path: true }, ...more };
}
