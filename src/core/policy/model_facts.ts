/** What the resolved model is judged against: the host's config and what lies on the box, as values. */

import type { Policy } from "../../model/config.ts";

/** What a path on the box is, its symbolic links followed. */
export interface PathFact {
  /** Where it really leads. */
  readonly real: string;
  /** Null: nothing is there. `hidden`: it leads to where the agent may not look. */
  readonly kind: "file" | "directory" | "other" | "hidden" | null;
}

/** The facts; every path is absolute and normalised. */
export interface ModelFacts {
  readonly policy: Policy;
  readonly deployDir: string;
  /**
   * Folders that stand for the bundle, the one that compose resolved paths against first: the
   * release's own before `up`, and the stable one that it becomes.
   */
  readonly bundleDirs: readonly [string, ...string[]];
  /** Files of the bundle that compose reads from the project's folder. */
  readonly reads: readonly string[];
  /** Sockets of the Engine, under each of their names. */
  readonly sockets: readonly string[];
  /** The Engine's own folder. */
  readonly dataRoot: string;
  /** IPv4 network that intercepted names resolve to, `100.64.0.0/10`. */
  readonly meshRange: string;
  /** TCP ports of this box that the agent dials. */
  readonly agentPorts: readonly number[];
  /** Path → what it is; for every path of pathsToLookAt(). One that is missing here is denied. */
  readonly paths: ReadonlyMap<string, PathFact>;
}
