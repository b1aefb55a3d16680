import { listFiles, PROJECT, toFileUrl } from "./paths.ts";
import { runDeno } from "./run_deno.ts";

interface Documented {
  readonly name: string;
  readonly jsDoc?: { readonly doc?: string };
  readonly location: { readonly filename: string; readonly line: number };
}

interface Declaration extends Documented {
  readonly kind: string;
  readonly declarationKind: string;
  readonly def?: { readonly methods?: readonly (Documented & { accessibility?: string })[] };
}

/** What `deno doc --json` writes, as far as it is used here. */
export interface DocReport {
  /** Modules by URL. */
  readonly nodes: Readonly<
    Record<string, { readonly symbols: readonly { name: string; declarations: Declaration[] }[] }>
  >;
}

/**
 * Gives the exported symbols of src and scripts, and the public methods of exported classes and
 * interfaces, that have no docstring: one line each.
 *
 * @throws {Error} When `deno doc` fails.
 */
export async function checkDocstrings(): Promise<string[]> {
  const files = await listFiles(PROJECT, (path) => /^(?:src|scripts)\/.*\.ts$/.test(path));
  const { ok, stdout, stderr } = await runDeno("doc", "--quiet", "--json", "--no-lock", ...files);
  if (!ok) throw new Error(`Cannot read the docstrings: ${stderr}`);
  return findUndocumented(JSON.parse(stdout), toFileUrl(PROJECT));
}

/** Takes what `deno doc --json` gives and the project's URL, and gives what has no docstring. */
export function findUndocumented(report: DocReport, base: string): string[] {
  return Object.entries(report.nodes).flatMap(([module, { symbols }]) =>
    symbols.flatMap(({ name, declarations }) => {
      const own = declarations.filter((declaration) =>
        declaration.declarationKind === "export" && declaration.location.filename === module &&
        // What is exported again is documented where it is declared.
        declaration.kind !== "reference"
      );
      return [...judgeSymbol(name, own), ...own.flatMap((one) => judgeMethods(name, one))];
    })
  ).map(({ name, location }) =>
    // `deno doc` counts lines from 0.
    `${location.filename.slice(base.length)}:${location.line + 1} exports ${name} without a ` +
    "docstring: say what it takes and gives and which errors it throws"
  );
}

type Finding = Pick<Documented, "name" | "location">;

/** One docstring is enough for all overloads of a function. */
function judgeSymbol(name: string, own: readonly Declaration[]): Finding[] {
  const [first] = own;
  // A default export is there for a tool, and its module's docstring says for which.
  if (first === undefined || name === "default" || own.some(isDocumented)) return [];
  return [{ name, location: first.location }];
}

function judgeMethods(owner: string, { def }: Declaration): Finding[] {
  const methods = (def?.methods ?? []).filter(({ accessibility }) => accessibility !== "private");
  const documented = new Set(methods.filter(isDocumented).map(({ name }) => name));
  return methods.filter(({ name }) => !documented.has(name))
    .map(({ name, location }) => ({ name: `${owner}.${name}`, location }));
}

function isDocumented({ jsDoc }: { readonly jsDoc?: { readonly doc?: string } }): boolean {
  return (jsDoc?.doc ?? "").trim() !== "";
}
