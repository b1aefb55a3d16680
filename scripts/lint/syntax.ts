/** A node seen without its exact type: rules look at many kinds of parents alike. */
export interface Shape {
  /** The node's kind. */
  readonly type: string;
  /** The node itself, to compare with a field of its parent. */
  readonly node: unknown;
  /** The node around it. */
  readonly parent: Shape | undefined;
  /** The node's other fields. */
  readonly [field: string]: unknown;
}

/** Takes a node and gives its loose view. */
export function shapeOf(node: unknown): Shape {
  const fields = node as Record<string, unknown>;
  return new Proxy({} as Shape, {
    get: (_, field) => {
      if (field === "node") return node;
      const value = fields[String(field)];
      return field === "parent" ? value && shapeOf(value) : value;
    },
  });
}

/** Fields in which a name is only a label of its parent, unless it is computed. */
const LABELS: Readonly<Record<string, string>> = {
  MemberExpression: "property",
  Property: "key",
  PropertyDefinition: "key",
  MethodDefinition: "key",
  AccessorProperty: "key",
  TSAbstractMethodDefinition: "key",
  TSAbstractPropertyDefinition: "key",
  TSAbstractAccessorProperty: "key",
  TSMethodSignature: "key",
  TSPropertySignature: "key",
  TSQualifiedName: "right",
  TSEnumMember: "id",
  TSNamedTupleMember: "label",
  ImportSpecifier: "imported",
  ExportSpecifier: "exported",
  ImportAttribute: "key",
  LabeledStatement: "label",
  BreakStatement: "label",
  ContinueStatement: "label",
};

/**
 * Takes an identifier and gives the name it may use as a global: its own, or the `x` of
 * `globalThis.x`, with the node that stands for the global. Labels give nothing.
 */
export function globalUse(shape: Shape): { name: string; shape: Shape } | undefined {
  const { parent } = shape;
  const name = String(shape["name"]);
  if (parent === undefined) return undefined;
  const viaGlobal = parent.type === "MemberExpression" || parent.type === "TSQualifiedName";
  if (!isLabel(shape, parent)) return { name, shape };
  if (!viaGlobal) return undefined;
  const owner = parent[parent.type === "MemberExpression" ? "object" : "left"] as
    | { type: string; name?: string }
    | undefined;
  const isGlobal = owner?.type === "Identifier" &&
    ["globalThis", "self", "window", "global"].includes(owner.name ?? "");
  return isGlobal ? { name, shape: parent } : undefined;
}

function isLabel(shape: Shape, parent: Shape): boolean {
  if (parent.type === "MetaProperty") return true;
  const field = LABELS[parent.type];
  if (field === undefined || parent[field] !== shape.node) return false;
  if (parent["computed"] === true) return false;
  // `import { fetch }` names the field and the local name with one word.
  return !(parent.type === "ImportSpecifier" && parent["local"] === shape.node);
}

/** Takes a node and gives the member that is taken of it, if it is written out. */
export function memberName(shape: Shape): string | undefined {
  const { parent } = shape;
  if (parent?.type === "TSQualifiedName" && parent["left"] === shape.node) {
    return String((parent["right"] as { name: string }).name);
  }
  if (parent?.type !== "MemberExpression" || parent["object"] !== shape.node) return undefined;
  const property = parent["property"] as { name?: string; value?: unknown };
  if (parent["computed"] !== true) return property.name;
  return typeof property.value === "string" ? property.value : undefined;
}
