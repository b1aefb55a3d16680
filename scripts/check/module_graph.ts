import { toFileUrl } from "./paths.ts";

/** One import of the project, as Deno resolves it. */
export interface Edge {
  /** The importing file, relative to the project. */
  readonly from: string;
  /** The imported file, relative to the project, or the name of a package. */
  readonly to: string;
  /** Whether `to` is a package or a module of Node. */
  readonly isPackage: boolean;
  /** Whether only types are imported: nothing of it is left when the code runs. */
  readonly isTypeOnly: boolean;
}

interface Resolved {
  readonly specifier?: string;
}

interface Info {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: Resolved;
      readonly type?: Resolved;
    }[];
  }[];
}

/**
 * Takes a project's folder and files of it, and gives every import of these files and of what
 * they import, inside the project.
 *
 * @throws {Error} When `deno info` fails.
 */
export async function readGraph(root: string, files: readonly string[]): Promise<Edge[]> {
  const base = toFileUrl(root);
  // `deno info` takes one module: this one imports them all.
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(entry, files.map((file) => `import "${base}${file}";\n`).join(""));
    const info = await denoInfo(root, entry);
    return info.modules.flatMap((module) => edgesOf(module, base));
  } finally {
    await Deno.remove(entry);
  }
}

async function denoInfo(root: string, entry: string): Promise<Info> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", "--config", `${root}/deno.json`, entry],
    cwd: root,
    env: { NO_COLOR: "1", RUST_BACKTRACE: "0" },
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot read the module graph: ${decoder.decode(stderr)}`);
  return JSON.parse(decoder.decode(stdout));
}

function edgesOf(module: Info["modules"][number], base: string): Edge[] {
  const from = module.specifier;
  if (!from.startsWith(base)) return [];
  return (module.dependencies ?? []).map((dependency) => {
    const target = dependency.code?.specifier ?? dependency.type?.specifier ??
      dependency.specifier;
    const inside = target.startsWith(base) && !isBareName(dependency.specifier);
    return {
      from: from.slice(base.length),
      to: inside ? target.slice(base.length) : packageName(dependency.specifier),
      isPackage: !inside,
      isTypeOnly: dependency.code === undefined,
    };
  });
}

/** Names out of `imports` are packages, even where `links` answers them with a folder. */
function isBareName(specifier: string): boolean {
  return !/^(?:\.{0,2}\/|file:)/.test(specifier);
}

/** `npm:/@scope/name@1.2.3/sub` and `jsr:@scope/name@^1/sub` both become `@scope/name/sub`. */
function packageName(specifier: string): string {
  return specifier
    .replace(/^(?:npm|jsr):\/?/, "")
    .replace(/^((?:@[^/]+\/)?[^/@]+)@[^/]*/, "$1");
}
