/**
 * Every command line of docker compose that the agent runs, and the environment it runs them in, as
 * values; tests assert them as whole strings. Never `--wait` (a crash loop counts as healthy there),
 * never `--ignore-pull-failures`, never a build (facts: docker §5, §7, §10, §11).
 */

import { AgentError } from "../errors.ts";

/** Where a release's files are, as compose is told. Paths are absolute. */
export interface ComposeTarget {
  readonly project: string;
  /** Stable across releases: relative binds are resolved against it and enter the config hash. */
  readonly projectDir: string;
  readonly file: string;
  /** The file with the labels of changed files (SPEC §4), or null when no service needs one. */
  readonly overrideFile: string | null;
  readonly envFile: string;
  readonly profiles: readonly string[];
}

/** How a project is taken down. */
export interface DownOptions {
  /** Seconds that each container may take to stop; null: what its own file says. */
  readonly stopTimeoutS: number | null;
  /** Removes the project's own volumes with it. */
  readonly volumes: boolean;
}

/** What the child's environment is made of. */
export interface EnvironmentFacts {
  /** `~` in a bind is resolved with it. */
  readonly home: string;
  /** A folder of the agent's, 0700, with `config.json`. */
  readonly dockerConfigDir: string;
  /** `unix:///path` of the Engine's socket. */
  readonly dockerHost: string;
  /** The socket that closes when the agent dies; compose then ends in order (facts: docker §6). */
  readonly lifeline: string;
}

const PLAIN = ["--ansi", "never", "--progress", "plain"] as const;
/** Case 29: what every version of compose takes as it is, without lower-casing or guessing. */
const PROJECT_NAME = /^[a-z0-9][a-z0-9_-]*$/;
const NO_FILE = "/dev/null";

/** Gives the arguments that print the resolved files as JSON; the output holds every secret. */
export function configArgs(target: ComposeTarget): readonly string[] {
  return [...filesOf(target), "config", "--format", "json"];
}

/**
 * Gives the arguments that fetch the images that are missing, and ask no registry for others: of all
 * services, or of the named ones alone. `--policy` wins over what a service says of itself.
 */
export function pullArgs(
  target: ComposeTarget,
  services: readonly string[] = [],
): readonly string[] {
  const named = services.length === 0 ? [] : ["--", ...services];
  return [...filesOf(target), "pull", "--policy", "missing", ...named];
}

/** Gives the arguments that fetch the named services' images although they are on the box. */
export function pullAlwaysArgs(
  target: ComposeTarget,
  services: readonly string[],
): readonly string[] {
  return [...filesOf(target), "pull", "--policy", "always", "--", ...services];
}

/** Gives the arguments that bring the whole project up. Health is judged afterwards, by the agent. */
export function upArgs(target: ComposeTarget): readonly string[] {
  return [...filesOf(target), "up", "-d", "--remove-orphans", "--no-build", "--pull", "never"];
}

/**
 * Gives the arguments that start the named services and touch no other. With `recreate`, running
 * ones are replaced too: `up` leaves an unhealthy container alone.
 */
export function repairArgs(
  target: ComposeTarget,
  services: readonly string[],
  { recreate }: { readonly recreate: boolean },
): readonly string[] {
  if (services.length === 0) {
    throw new AgentError("INTERNAL", "a repair names no service, which would mean all of them");
  }
  const force = recreate ? ["--force-recreate"] : [];
  const up = ["up", "-d", "--no-deps", "--no-build", "--pull", "never", ...force];
  // `--` because a service may be called `-v`.
  return [...filesOf(target), ...up, "--", ...services];
}

/**
 * Gives the arguments that take a project down by its labels alone: with files, containers of
 * inactive profiles would stay (facts: docker §11). Volumes are kept unless asked for.
 */
export function downArgs(project: string, options: DownOptions): readonly string[] {
  const stop = options.stopTimeoutS === null ? [] : ["-t", String(options.stopTimeoutS)];
  const volumes = options.volumes ? ["--volumes"] : [];
  const down = ["down", "--remove-orphans", ...stop, ...volumes];
  return [...PLAIN, "-p", checkProject(project), "--env-file", NO_FILE, ...down];
}

/** Gives the arguments that print the plugin's version alone. */
export function versionArgs(): readonly string[] {
  return ["version", "--short"];
}

/**
 * Gives the whole environment of compose. The switches win over what a bundle's `.env` says. PATH
 * leads nowhere: compose needs no other program, and git, ssh or a credential helper that a bundle
 * or a config names would run with every secret in its environment (facts: docker §4).
 */
export function composeEnvironment(facts: EnvironmentFacts): Readonly<Record<string, string>> {
  return {
    PATH: "/nonexistent",
    HOME: facts.home,
    DOCKER_CONFIG: facts.dockerConfigDir,
    DOCKER_HOST: facts.dockerHost,
    DOCKER_CLI_PLUGIN_SOCKET: facts.lifeline,
    COMPOSE_EXPERIMENTAL_GIT_REMOTE: "0",
    COMPOSE_EXPERIMENTAL_OCI_REMOTE: "0",
    COMPOSE_PROFILES: "",
    COMPOSE_COMPATIBILITY: "0",
    COMPOSE_PARALLEL_LIMIT: "-1",
  };
}

/**
 * Names that compose finds in its environment before it looks into `.env`: a reference to one of them
 * in a compose file gives what the agent set there, never a default.
 */
export const COMPOSE_OWN_NAMES: ReadonlySet<string> = new Set(
  Object.keys(composeEnvironment({ home: "", dockerConfigDir: "", dockerHost: "", lifeline: "" })),
);

function filesOf(target: ComposeTarget): readonly string[] {
  const override = target.overrideFile === null ? [] : ["-f", target.overrideFile];
  return [
    ...PLAIN,
    ...["-p", checkProject(target.project), "--project-directory", target.projectDir],
    ...["-f", target.file, ...override, "--env-file", target.envFile],
    ...target.profiles.flatMap((profile) => ["--profile", profile]),
  ];
}

/** An empty name would fall back to the folder's, another one be rewritten by some versions. */
function checkProject(project: string): string {
  if (PROJECT_NAME.test(project)) return project;
  throw new AgentError("CONFIG_INVALID", `compose_project "${project}" is not a project name`, {
    hint: "Use lower-case letters, digits, - and _, starting with a letter or digit.",
  });
}
