/**
 * `docker compose config` for tests, small: the merged files with their variables filled in, in the
 * resolved form's shapes (facts: docker §4). A key that it does not know is an error of the test.
 */

import { parse } from "@std/yaml";

/** What is read. */
export interface ConfigSources {
  readonly project: string;
  readonly projectDir: string;
  /** Text of each `-f` file, in order. */
  readonly files: readonly string[];
  /** Text of the env file. */
  readonly env: string;
}

type Dict = Record<string, unknown>;

const SERVICE_KEYS = new Set([
  "image",
  "command",
  "environment",
  "labels",
  "restart",
  "healthcheck",
  "depends_on",
  "ports",
  "volumes",
  "configs",
  "secrets",
  "networks",
  "network_mode",
  "deploy",
  "scale",
  "stop_grace_period",
  "profiles",
]);

/** Takes the sources; gives the resolved form. Throws an Error with compose's own last line. */
export function resolveConfig(sources: ConfigSources): Dict {
  const env = parseEnv(sources.env);
  const merged: Dict = {};
  for (const text of sources.files) {
    const parsed = parse(text);
    if (parsed === null || parsed === undefined) throw new Error("empty compose file");
    if (typeof parsed !== "object" || Array.isArray(parsed)) {
      throw new Error("top-level object must be a mapping");
    }
    merge(merged, interpolate(parsed, env) as Dict);
  }
  const services = Object.entries(dict(merged["services"]))
    .filter(([, each]) => ((dict(each)["profiles"] as string[] | undefined) ?? []).length === 0)
    .map(([name, each]): [string, unknown] => [name, serviceOf(name, dict(each), sources)]);
  for (const [name, each] of services) {
    for (const other of Object.keys(dict(dict(each)["depends_on"]))) {
      if (services.some(([known]) => known === other)) continue;
      throw new Error(`service "${name}" depends on undefined service "${other}"`);
    }
  }
  const top = (key: string): Dict =>
    Object.fromEntries(
      Object.entries(dict(merged[key])).map(([name, each]) => {
        const source = dict(each);
        const file = typeof source["file"] === "string"
          ? { file: absolute(source["file"], sources.projectDir) }
          : {};
        return [name, { name: `${sources.project}_${name}`, ...source, ...file }];
      }),
    );
  return {
    name: sources.project,
    services: Object.fromEntries(services),
    networks: { default: { name: `${sources.project}_default` }, ...top("networks") },
    volumes: top("volumes"),
    configs: top("configs"),
    secrets: top("secrets"),
  };
}

/** Takes an env file of the agent's own encoding; gives its variables. */
function parseEnv(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const line of text.split("\n").filter((each) => !/^\s*(#|$)/.test(each))) {
    const match = /^([A-Za-z_]\w*)=(?:"((?:[^"\\]|\\.)*)"|([^"'\s#]*))$/.exec(line);
    if (match === null) throw new Error("failed to read env: unterminated quoted value");
    const value = match[2]?.replace(/\\(.)/gs, (_all, each: string) => {
      return each === "n" ? "\n" : each === "r" ? "\r" : each;
    });
    variables.set(match[1] ?? "", value ?? match[3] ?? "");
  }
  return variables;
}

function interpolate(value: unknown, env: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    return value.replace(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_all, dollar, braced, bare) => {
      return dollar ?? env.get(braced ?? bare) ?? "";
    });
  }
  if (Array.isArray(value)) return value.map((each) => interpolate(each, env));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, interpolate(each, env)]),
  );
}

function merge(into: Dict, from: Dict): void {
  for (const [key, value] of Object.entries(from)) {
    const before = into[key];
    if (isDict(before) && isDict(value)) merge(before, value);
    else into[key] = value;
  }
}

function serviceOf(name: string, service: Dict, { projectDir }: ConfigSources): Dict {
  for (const key of Object.keys(service)) {
    if (!SERVICE_KEYS.has(key)) {
      throw new Error(`validating: services.${name} Additional property ${key} is not allowed`);
    }
  }
  const { depends_on: depends, ports, volumes, configs, secrets, profiles: _, ...rest } = service;
  return {
    ...rest,
    ...(depends === undefined ? {} : { depends_on: dependsOn(depends) }),
    ...(ports === undefined ? {} : { ports: list(ports).map(portOf) }),
    ...(volumes === undefined
      ? {}
      : { volumes: list(volumes).map((each) => mountOf(each, projectDir)) }),
    ...(configs === undefined ? {} : { configs: list(configs).map(referenceOf) }),
    ...(secrets === undefined ? {} : { secrets: list(secrets).map(referenceOf) }),
  };
}

function dependsOn(value: unknown): Dict {
  const names = Array.isArray(value)
    ? value.map((name): [string, Dict] => [String(name), { condition: "service_started" }])
    : Object.entries(dict(value)).map(([name, each]): [string, Dict] => [name, dict(each)]);
  return Object.fromEntries(names.map(([name, each]) => [name, { required: true, ...each }]));
}

function portOf(value: unknown): unknown {
  if (isDict(value)) return value;
  const parts = String(value).split(":");
  const [target = "", published, host] = parts.toReversed();
  return {
    mode: "ingress",
    target: Number(target),
    protocol: "tcp",
    ...(published === undefined ? {} : { published }),
    ...(host === undefined ? {} : { host_ip: host }),
  };
}

function mountOf(value: unknown, projectDir: string): unknown {
  if (isDict(value)) return value;
  const [source = "", target = "", mode] = String(value).split(":");
  const readOnly = mode === "ro" ? { read_only: true } : {};
  return /^[./~]/.test(source)
    ? {
      type: "bind",
      source: absolute(source, projectDir),
      target,
      ...readOnly,
      bind: { create_host_path: true },
    }
    : { type: "volume", source, target, ...readOnly, volume: {} };
}

function referenceOf(value: unknown): unknown {
  return isDict(value) ? value : { source: String(value) };
}

function absolute(path: string, projectDir: string): string {
  return path.startsWith("/") ? path : `${projectDir}/${path.replace(/^\.\//, "")}`;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isDict(value: unknown): value is Dict {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function dict(value: unknown): Dict {
  return isDict(value) ? value : {};
}
