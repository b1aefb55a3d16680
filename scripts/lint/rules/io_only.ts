import { GLOBAL_OBJECTS, type Limit, LIMITS, MAIN_LIMIT } from "../effects.ts";
import { mayHaveEffects, placeOf } from "../places.ts";
import { globalUse, memberName, type Shape, shapeOf } from "../syntax.ts";

/**
 * `monky/io-only`: effects live in `src/io`, behind the interfaces of `src/ports.ts`. Names are
 * taken as they are written: a local one called like a global with effects is refused too.
 *
 * The linter skips what follows a hole in a list and what follows an empty statement; the
 * formatter removes the second kind.
 */
export const ioOnly: Deno.lint.Rule = {
  create(context): Deno.lint.LintVisitor {
    const place = placeOf(context.filename);
    if (mayHaveEffects(place)) return {};
    const report = (node: Deno.lint.Node, what: string, instead: string): void =>
      context.report({ node, message: `${what} is for src/io only: ${instead}` });
    return {
      Identifier(node): void {
        const use = globalUse(shapeOf(node));
        if (use === undefined) return;
        const problem = judge(use.name, use.shape, place);
        if (problem !== undefined) report(node, problem.what, problem.instead);
      },
      ImportDeclaration: (node): void => checkSource(node, node.source.value, report),
      ExportAllDeclaration: (node): void => checkSource(node, node.source.value, report),
      ExportNamedDeclaration: (node): void => checkSource(node, node.source?.value, report),
      TSImportType(node): void {
        const argument = shapeOf(node.argument);
        const literal = shapeOf(argument["literal"] ?? argument.node);
        checkSource(node, literal["value"], report);
      },
      ImportExpression(node): void {
        const source: unknown = shapeOf(node.source)["value"];
        if (typeof source === "string") checkSource(node, source, report);
        else report(node, "An import of a computed name", "write the module's name as text");
      },
    };
  },
};

interface Problem {
  readonly what: string;
  readonly instead: string;
}

/** Takes a global's name and where it is used, and gives what is wrong about it, if anything. */
function judge(name: string, shape: Shape, place: string): Problem | undefined {
  if (GLOBAL_OBJECTS.has(name)) return judgeGlobalObject(name, shape);
  if (name === "Function") return judgeFunction(shape);
  const limit = name === "Deno" && place === "main.ts" ? MAIN_LIMIT : LIMITS.get(name);
  if (limit === undefined || (name === "Date" && isPureDate(shape))) return undefined;
  const member = memberName(shape);
  if (isAllowed(limit, member, shape)) return undefined;
  const what = typeof member === "string" ? `${name}.${member}` : name;
  return {
    what: name === "Date" && typeof member !== "string" ? "The current date" : what,
    ...limit,
  };
}

function isAllowed(limit: Limit, member: string | undefined, shape: Shape): boolean {
  if (limit.only !== undefined) return member !== undefined && limit.only.includes(member);
  if (limit.except === undefined) return false;
  // Without a member it is a type or a class test, unless it is renamed or taken apart.
  if (member === undefined) {
    return !["VariableDeclarator", "MemberExpression"].includes(parentType(shape));
  }
  return !limit.except.includes(member);
}

/** Reading a date out of an argument is pure, as are the type and the class test. */
function isPureDate(shape: Shape): boolean {
  const parent = shape.parent;
  if (parent === undefined) return false;
  if (parent.type === "TSTypeReference") return true;
  if (parent.type === "BinaryExpression") return parent["operator"] === "instanceof";
  const args = parent["arguments"];
  return parent.type === "NewExpression" && Array.isArray(args) && args.length > 0 &&
    args.every((argument) => shapeOf(argument).type !== "SpreadElement");
}

function judgeFunction(shape: Shape): Problem | undefined {
  if (!["CallExpression", "NewExpression"].includes(parentType(shape))) return undefined;
  if (shape.parent?.["callee"] !== shape.node) return undefined;
  return { what: "Function()", instead: LIMITS.get("eval")?.instead ?? "" };
}

/** `globalThis.x` is judged as `x`; what remains here hides which global is meant. */
function judgeGlobalObject(name: string, shape: Shape): Problem | undefined {
  const isComputed = parentType(shape) === "MemberExpression" &&
    shape.parent?.["computed"] === true;
  const isMember = !isComputed && memberName(shape) !== undefined;
  if (isMember || (name !== "globalThis" && !isComputed)) return undefined;
  return { what: name, instead: "name the global itself, so that this rule can judge it" };
}

function parentType(shape: Shape): string {
  return shape.parent?.type ?? "";
}

function checkSource(
  node: Deno.lint.Node,
  source: unknown,
  report: (node: Deno.lint.Node, what: string, instead: string) => void,
): void {
  if (typeof source !== "string" || !source.startsWith("node:")) return;
  report(node, source, "take a port of src/ports.ts as a parameter and do the work in src/io");
}
