import { findCircles } from "./circles.ts";
import { type Layer, layerOf, type LayerRule, RULES } from "./layers.ts";
import { type Edge, readGraph } from "./module_graph.ts";
import { listFiles } from "./paths.ts";

const CODE = /^(?:main\.ts|(?:src|scripts|tests|packaging)\/.*\.ts)$/;

/**
 * Takes a project's folder and gives what is wrong with its imports, one line each: directions
 * that the table in `layers.ts` does not allow, and circles.
 *
 * @throws {Error} When the module graph cannot be read.
 */
export async function checkImports(root: string): Promise<string[]> {
  const files = await listFiles(root, (path) => CODE.test(path));
  const edges = await readGraph(root, files);
  const homeless = files.filter((file) => layerOf(file) === undefined)
    .map((file) => `${file} belongs to no layer: give it one in scripts/check/layers.ts`);
  return [...homeless, ...edges.flatMap(judge), ...findCircles(edges).map(describeCircle)];
}

function judge(edge: Edge): string[] {
  const layer = layerOf(edge.from);
  if (layer === undefined) return [];
  const reason = edge.isPackage
    ? judgePackage(edge.to, RULES[layer])
    : judgeFile(edge, layer, RULES[layer]);
  return reason === undefined ? [] : [`${edge.from} imports ${edge.to}: ${reason}`];
}

function judgePackage(name: string, { packages }: LayerRule): string | undefined {
  const isAllowed = packages.some((allowed) =>
    allowed === "*" || allowed === name || (allowed === "node:*" && name.startsWith("node:"))
  );
  if (isAllowed) return undefined;
  return packages.length === 0
    ? "no package is allowed here"
    : `the packages allowed here are ${packages.join(", ")}`;
}

function judgeFile(edge: Edge, layer: Layer, rule: LayerRule): string | undefined {
  // The version is read out of deno.json, which is no module.
  if (edge.to === "deno.json") return edge.from === "src/version.ts" ? undefined : VERSION;
  const target = layerOf(edge.to);
  if (target === layer) return undefined;
  if (target === undefined || !rule.layers.includes(target)) return rule.why;
  const wantsTypes = rule.typesOnly?.includes(target) ?? false;
  return wantsTypes && !edge.isTypeOnly
    ? `${rule.why}; import its types with "import type"`
    : undefined;
}

const VERSION = "src/version.ts is the one place that reads it";

function describeCircle(
  { path, needsTypes }: { path: readonly string[]; needsTypes: boolean },
): string {
  const [first, next] = path;
  if (path.length === 2) return `${first} imports itself`;
  const kind = needsTypes
    ? "a circle of types; move the types both need to a file of their own"
    : "a circle; move what both need to a file of its own";
  return `${first} imports ${next}: ${kind} (${path.join(" → ")})`;
}
