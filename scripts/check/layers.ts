/** A layer of the code, named after its folder or file. */
export type Layer =
  | "main"
  | "app"
  | "cli"
  | "engine"
  | "clients"
  | "core"
  | "config"
  | "model"
  | "ports"
  | "base"
  | "io"
  | "scripts"
  | "tests"
  | "packaging";

/** What a layer may import, and why not more. */
export interface LayerRule {
  /** Other layers it may import; its own it always may. */
  readonly layers: readonly Layer[];
  /** Packages it may import; `node:*` stands for all of Node's modules, `*` for anything. */
  readonly packages: readonly string[];
  /** Layers of which it may import types only. */
  readonly typesOnly?: readonly Layer[];
  /** Why it may import no other layer: ends the report of an import that is not allowed. */
  readonly why: string;
}

const SRC: readonly Layer[] = [
  "app",
  "cli",
  "engine",
  "clients",
  "core",
  "config",
  "model",
  "ports",
  "base",
  "io",
];

/** Directions of imports: everything that is not in this table is forbidden. */
export const RULES: Readonly<Record<Layer, LayerRule>> = {
  main: {
    layers: ["app"],
    packages: [],
    why: "main.ts only hands its arguments to src/app.ts, so that a test can run all the rest",
  },
  app: {
    layers: SRC,
    packages: [],
    why: "src/app.ts puts the parts of src together and needs nothing else",
  },
  cli: {
    layers: ["engine", "core", "config", "model", "ports", "base"],
    packages: ["@std/cli", "@std/cli/parse-args"],
    why: "a command reads its options, calls the engine and shows what it gives; it decides " +
      "nothing and speaks to no remote",
  },
  engine: {
    layers: ["clients", "core", "config", "model", "ports", "base"],
    packages: [],
    why: "the engine orders the steps; it is given its effects by src/app.ts and does not know " +
      "who asked",
  },
  clients: {
    layers: ["config", "model", "ports", "base"],
    packages: ["zod/mini", "@std/yaml", "jose"],
    why: "a client speaks to one remote or store and decides nothing; values it shares with " +
      "the core live in src/model",
  },
  core: {
    layers: ["config", "model", "base"],
    packages: [],
    why: "the core is pure: facts in, plan out, so that every decision is a table in a test",
  },
  config: {
    layers: ["model", "base"],
    packages: ["zod/mini", "@std/yaml"],
    why: "the config is a table and its reading, which everything else may depend on",
  },
  model: {
    layers: ["base"],
    packages: ["zod/mini", "@std/yaml"],
    why: "the model is what everything else speaks in, so it can depend on nothing else",
  },
  ports: {
    layers: ["model"],
    typesOnly: ["model"],
    packages: [],
    why: "ports are interfaces over the model's types: nothing in them runs",
  },
  base: {
    layers: [],
    packages: [],
    why: "errors, their catalogue and the version are used everywhere, so they use nothing",
  },
  io: {
    layers: ["ports", "model", "base"],
    packages: ["node:*"],
    why: "src/io carries out effects behind the ports; what to do is decided elsewhere",
  },
  scripts: {
    layers: [...SRC, "main"],
    packages: ["zod/mini", "@std/yaml", "@std/cli", "@std/cli/parse-args", "jose", "node:*"],
    why: "scripts build, check and show the project; what tests need stays in tests",
  },
  tests: {
    layers: [...SRC, "main", "scripts", "packaging"],
    packages: ["*"],
    why: "tests may import everything",
  },
  packaging: {
    layers: [],
    packages: ["js-yaml", "minimist", "node:*"],
    why: "what is packaged beside the agent stands on its own",
  },
};

/** Files of src that belong to no folder. */
const FILES: Readonly<Record<string, Layer>> = {
  "main.ts": "main",
  "src/app.ts": "app",
  "src/ports.ts": "ports",
  "src/errors.ts": "base",
  "src/catalogue.ts": "base",
  "src/version.ts": "base",
};

/** Takes a file's path in the project and gives its layer, if it has one. */
export function layerOf(path: string): Layer | undefined {
  const file = FILES[path];
  if (file !== undefined) return file;
  const [top = "", second = "", third] = path.split("/");
  if (top === "scripts" || top === "tests" || top === "packaging") return top;
  const folders: readonly string[] = SRC.filter((layer) => !Object.values(FILES).includes(layer));
  return top === "src" && third !== undefined && folders.includes(second)
    ? second as Layer
    : undefined;
}
