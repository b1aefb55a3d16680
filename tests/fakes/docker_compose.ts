/**
 * A stand-in for the compose plugin behind the Exec port: exactly the command lines of
 * core/compose_argv.ts, changing a FakeEngine as compose changes the real one (facts: docker §7).
 * Any other argument is an error of the test.
 */

import type { Command, CommandResult, Exec } from "../../src/ports.ts";
import { resolveConfig } from "./docker_config.ts";
import type { Behaviour, FakeContainer, FakeEngine } from "./docker_engine.ts";

/** The stand-in and what it saw. */
export interface FakeCompose {
  readonly exec: Exec;
  /** The commands, oldest first. */
  readonly commands: readonly Command[];
  /** What the next runs of a verb do instead; null: nothing special. */
  onVerb(change: ((verb: string, command: Command) => Partial<CommandResult> | null) | null): void;
}

type Dict = Record<string, unknown>;

interface Parsed {
  readonly project: string;
  readonly projectDir: string;
  readonly files: readonly string[];
  readonly envFile: string;
  readonly verb: string;
  readonly flags: ReadonlySet<string>;
  readonly services: readonly string[];
}

const VERBS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  config: [["--format", "json"]],
  pull: [["--policy", "missing"]],
  up: [["-d"], ["--remove-orphans"], ["--no-build"], ["--pull", "never"], ["--no-deps"], [
    "--force-recreate",
  ]],
  down: [["--remove-orphans"], ["-t", "*"], ["--volumes"]],
  version: [["--short"]],
};

/** Makes compose for an Engine. `readFile` gives a file's text; it is what compose would open. */
export function createFakeCompose(
  engine: FakeEngine,
  readFile: (path: string) => Promise<string> = (path) => Deno.readTextFile(path),
): FakeCompose {
  const commands: Command[] = [];
  let special: Parameters<FakeCompose["onVerb"]>[0] = null;

  async function run(command: Command): Promise<CommandResult> {
    commands.push(command);
    const parsed = parseArgs(command.args);
    const instead = special?.(parsed.verb, command) ?? null;
    if (instead !== null) return result({ code: 0, ...instead });
    try {
      const resolve = async (): Promise<Dict> =>
        resolveConfig({
          project: parsed.project,
          projectDir: parsed.projectDir,
          files: await Promise.all(parsed.files.map(readFile)),
          env: parsed.envFile === "/dev/null" ? "" : await readFile(parsed.envFile),
        });
      switch (parsed.verb) {
        case "version":
          return result({ code: 0, stdout: bytes("2.26.1\n") });
        case "config":
          return result({
            code: 0,
            stdout: bytes(JSON.stringify(await resolve()).replaceAll("$", "$$$$")),
          });
        case "pull":
          return pull(engine, await resolve());
        case "up":
          return up(engine, parsed, await resolve());
        default:
          return down(engine, parsed);
      }
    } catch (error) {
      return failure(15, error instanceof Error ? error.message : String(error));
    }
  }

  return {
    exec: { run },
    commands,
    onVerb(change): void {
      special = change;
    },
  };
}

/** Reads the arguments; throws on any that core/compose_argv.ts does not write. */
function parseArgs(args: readonly string[]): Parsed {
  const rest = [...args];
  const take = (): string => rest.shift() ?? "";
  const options = new Map<string, string[]>();
  while (rest[0]?.startsWith("-")) {
    const name = take();
    options.set(name, [...options.get(name) ?? [], take()]);
  }
  const known = /^(--ansi|--progress|-p|--project-directory|-f|--env-file|--profile)$/;
  for (const name of options.keys()) if (!known.test(name)) throw unknown(args, name);
  const verb = take();
  const flags = new Set<string>();
  const allowed = VERBS[verb];
  if (allowed === undefined) throw unknown(args, verb);
  while (rest[0]?.startsWith("-") && rest[0] !== "--") {
    const flag = allowed.find(([name]) => name === rest[0]);
    if (flag === undefined) throw unknown(args, rest[0]);
    const [name = "", value] = flag;
    take();
    flags.add(name);
    if (value !== undefined) {
      const given = take();
      if (value !== "*" && value !== given) throw unknown(args, given);
    }
  }
  if (rest[0] === "--") take();
  const one = (name: string): string => options.get(name)?.[0] ?? "";
  return {
    project: one("-p"),
    projectDir: one("--project-directory"),
    files: options.get("-f") ?? [],
    envFile: one("--env-file"),
    verb,
    flags,
    services: rest,
  };
}

function unknown(args: readonly string[], what: string): Error {
  return new Error(`the fake compose does not know "${what}" in: ${args.join(" ")}`);
}

function pull(engine: FakeEngine, model: Dict): CommandResult {
  for (const service of Object.values(dict(model["services"]))) {
    const ref = String(dict(service)["image"]);
    if (engine.images.has(ref)) continue;
    const image = engine.registry.get(ref);
    if (image === undefined) {
      return failure(
        18,
        `Error response from daemon: manifest for ${ref} not found: manifest unknown: manifest unknown`,
      );
    }
    engine.images.set(ref, image);
  }
  return result({ code: 0 });
}

function up(engine: FakeEngine, parsed: Parsed, model: Dict): CommandResult {
  const { project, flags } = parsed;
  const services = dict(model["services"]);
  if (Object.keys(services).length === 0) return failure(1, "no service selected");
  for (const name of parsed.services) {
    if (!(name in services)) return failure(1, `no such service: ${name}`);
  }
  if (flags.has("--remove-orphans")) {
    for (const each of engine.of(project)) if (!(each.service in services)) engine.remove(each.id);
  }
  const network = `${project}_default`;
  if (!engine.networks.some((each) => each.name === network)) {
    engine.networks.push({ name: network, project });
  }
  const wanted = parsed.services.length === 0 ? Object.keys(services) : parsed.services;
  // Everything is made before anything starts, as compose does.
  const ready: FakeContainer[] = [];
  for (const name of wanted) {
    const service = dict(services[name]);
    const ref = String(service["image"]);
    const image = engine.images.get(ref);
    if (image === undefined) {
      return failure(1, `Error response from daemon: No such image: ${ref}`);
    }
    const replicas = Number(dict(service["deploy"])["replicas"] ?? service["scale"] ?? 1);
    const hash = hashOf(service);
    let own = engine.of(project).filter((each) => each.service === name && !each.oneoff);
    for (const each of own) {
      const isSame = each.configHash === hash && each.imageId === image.id;
      if (!isSame || flags.has("--force-recreate")) engine.remove(each.id);
    }
    own = engine.of(project).filter((each) => each.service === name && !each.oneoff);
    for (const each of own.slice(replicas)) engine.remove(each.id);
    for (let number = own.length + 1; number <= replicas; number++) {
      engine.create({
        project,
        service: name,
        name: `${project}-${name}-${number}`,
        image: ref,
        imageId: image.id,
        configHash: hash,
        number,
        oneoff: false,
        restartPolicy: String(service["restart"] ?? "no"),
        healthcheck: healthcheckOf(service),
        labels: dict(service["labels"]) as Record<string, string>,
        networks: [network],
        ports: portsOf(service),
        behaviour: engine.behaviours.get(ref) ?? behaviourOf(service),
      });
    }
    ready.push(...engine.of(project).filter((each) => each.service === name && !each.oneoff));
  }
  for (const each of ready) {
    if (each.state === "paused") {
      return failure(
        1,
        `Error response from daemon: cannot start a paused container, try unpause instead`,
      );
    }
    if (each.state === "created" || each.state === "exited") engine.start(each);
  }
  return result({ code: 0 });
}

function down(engine: FakeEngine, { project, flags }: Parsed): CommandResult {
  for (const each of engine.of(project)) engine.remove(each.id);
  remove(engine.networks, project);
  if (flags.has("--volumes")) remove(engine.volumes, project);
  return result({ code: 0 });
}

function remove(resources: { readonly project: string | null }[], project: string): void {
  for (const each of resources.filter((one) => one.project === project)) {
    resources.splice(resources.indexOf(each), 1);
  }
}

/** Any stable text will do; like the real one it leaves out the number of replicas. */
function hashOf(service: Dict): string {
  const { deploy: _deploy, scale: _scale, ...rest } = service;
  let hash = 0n;
  for (const char of JSON.stringify(rest)) {
    hash = (hash * 131n + BigInt(char.codePointAt(0) ?? 0)) % (1n << 255n);
  }
  return hash.toString(16).padStart(64, "0");
}

/** `exit N` at the end of the command ends with N; anything else runs on. */
function behaviourOf(service: Dict): Behaviour {
  const command = JSON.stringify(service["command"] ?? "");
  const code = /exit (\d+)"?\]?$/.exec(command)?.[1];
  if (code === undefined) {
    return { kind: "runs", health: service["healthcheck"] === undefined ? null : "healthy" };
  }
  const restarts = ["always", "unless-stopped"].includes(String(service["restart"]));
  return { kind: restarts ? "loops" : "exits", code: Number(code) };
}

function healthcheckOf(service: Dict): Dict | null {
  const check = dict(service["healthcheck"]);
  return Array.isArray(check["test"]) ? { Test: check["test"] } : null;
}

function portsOf(service: Dict): FakeContainer["ports"] {
  const ports = Array.isArray(service["ports"]) ? service["ports"] : [];
  return ports.map(dict).map((port) => ({
    ip: String(port["host_ip"] ?? "0.0.0.0"),
    port: Number(port["published"] ?? 0),
    protocol: String(port["protocol"] ?? "tcp"),
  }));
}

function result(change: Partial<CommandResult>): CommandResult {
  return {
    code: 0,
    stdout: new Uint8Array(),
    stdoutTruncated: false,
    stderrTail: [],
    timedOut: false,
    aborted: false,
    ...change,
  };
}

function failure(code: number, line: string): CommandResult {
  return result({ code, stderrTail: [line] });
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function dict(value: unknown): Dict {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Dict : {};
}
