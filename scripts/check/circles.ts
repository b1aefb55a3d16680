import type { Edge } from "./module_graph.ts";

/** Files that import each other, the first one named again at the end. */
export interface Circle {
  /** The way round. */
  readonly path: readonly string[];
  /** Whether a type-only import is part of it, so that nothing goes round when the code runs. */
  readonly needsTypes: boolean;
}

/**
 * Takes the imports of a project and gives its circles: the shortest one through each file that
 * is not on a circle given before. Circles of imports that run come first.
 */
export function findCircles(edges: readonly Edge[]): Circle[] {
  const inside = edges.filter(({ isPackage }) => !isPackage);
  const running = inside.filter(({ isTypeOnly }) => !isTypeOnly);
  const covered = new Set<string>();
  return [
    ...shortestCircles(running, covered).map((path) => ({ path, needsTypes: false })),
    ...shortestCircles(inside, covered).map((path) => ({ path, needsTypes: true })),
  ];
}

function shortestCircles(edges: readonly Edge[], covered: Set<string>): string[][] {
  const targets = Map.groupBy(edges, ({ from }) => from);
  const circles: string[][] = [];
  for (const start of [...targets.keys()].sort()) {
    if (covered.has(start)) continue;
    const path = wayBack(start, targets);
    if (path === undefined) continue;
    for (const file of path) covered.add(file);
    circles.push(path);
  }
  return circles;
}

/** Breadth first, so that the first way found is the shortest. */
function wayBack(start: string, targets: Map<string, readonly Edge[]>): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const { to } of targets.get(way.at(-1) ?? "") ?? []) {
      if (to === start) return [...way, start];
      if (seen.has(to)) continue;
      seen.add(to);
      ways.push([...way, to]);
    }
  }
  return undefined;
}
