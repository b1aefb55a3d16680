/**
 * Makes a ComposeModel from what `docker compose config --format json` printed (facts: docker §4).
 * Null means "not that shape": the text holds every secret, so no error may quote it.
 */

import * as z from "zod/mini";
import type {
  ComposeModel,
  ComposeService,
  ContentResource,
  ContentSource,
  Dependency,
  Mount,
  NamedResource,
  NetworkResource,
  PublishedPort,
  RestartPolicy,
} from "./compose_model.ts";
import type { Healthcheck } from "./containers.ts";
import { parseDuration } from "./go_duration.ts";

const references = z.nullish(z.array(z.object({ source: z.string() })));
const number = z.union([z.number(), z.string()]);

const service = z.object({
  image: z.nullish(z.string()),
  container_name: z.nullish(z.string()),
  pull_policy: z.nullish(z.string()),
  restart: z.nullish(z.string()),
  scale: z.nullish(z.number()),
  deploy: z.nullish(z.object({
    replicas: z.nullish(z.number()),
    restart_policy: z.nullish(z.object({ condition: z.nullish(z.string()) })),
  })),
  healthcheck: z.nullish(z.object({
    disable: z.nullish(z.boolean()),
    test: z.nullish(z.union([z.string(), z.array(z.string())])),
    interval: z.nullish(z.string()),
    timeout: z.nullish(z.string()),
    retries: z.nullish(z.number()),
    start_period: z.nullish(z.string()),
    start_interval: z.nullish(z.string()),
  })),
  depends_on: z.nullish(z.record(
    z.string(),
    z.object({ condition: z.nullish(z.string()), required: z.nullish(z.boolean()) }),
  )),
  ports: z.nullish(z.array(z.object({
    published: z.nullish(number),
    target: z.number(),
    protocol: z.nullish(z.string()),
    host_ip: z.nullish(z.string()),
  }))),
  volumes: z.nullish(z.array(z.object({
    type: z.string(),
    source: z.nullish(z.string()),
    target: z.string(),
    read_only: z.nullish(z.boolean()),
    bind: z.nullish(z.object({ create_host_path: z.nullish(z.boolean()) })),
  }))),
  configs: references,
  secrets: references,
  network_mode: z.nullish(z.string()),
  ipc: z.nullish(z.string()),
  pid: z.nullish(z.string()),
  volumes_from: z.nullish(z.array(z.string())),
  stop_grace_period: z.nullish(z.string()),
});

const resource = z.nullish(
  z.object({ name: z.nullish(z.string()), external: z.nullish(z.boolean()) }),
);
const network = z.nullish(z.object({
  name: z.nullish(z.string()),
  external: z.nullish(z.boolean()),
  internal: z.nullish(z.boolean()),
  enable_ipv6: z.nullish(z.boolean()),
  driver_opts: z.nullish(z.record(z.string(), number)),
  ipam: z.nullish(z.object({
    config: z.nullish(z.array(z.object({ subnet: z.nullish(z.string()) }))),
  })),
}));
const content = z.object({
  name: z.nullish(z.string()),
  external: z.nullish(z.boolean()),
  file: z.nullish(z.string()),
  environment: z.nullish(z.string()),
  content: z.nullish(z.string()),
});

const model = z.object({
  name: z.string(),
  services: z.nullish(z.record(z.string(), service)),
  networks: z.nullish(z.record(z.string(), network)),
  volumes: z.nullish(z.record(z.string(), resource)),
  configs: z.nullish(z.record(z.string(), content)),
  secrets: z.nullish(z.record(z.string(), content)),
});

type Service = z.output<typeof service>;

/** Takes the resolved files as parsed JSON, `$` no longer doubled; gives the model, or null. */
export function parseComposeModel(resolved: unknown): ComposeModel | null {
  const result = model.safeParse(resolved);
  if (!result.success) return null;
  const { name, services, networks, volumes, configs, secrets } = result.data;
  return {
    project: name,
    services: sorted(services).map(([key, each]) => serviceOf(key, each)),
    networks: sorted(networks).map(([key, each]) => networkOf(key, each)),
    volumes: sorted(volumes).map(([key, each]) => resourceOf(key, each)),
    configs: sorted(configs).flatMap(([key, each]) => contentOf(key, each)),
    secrets: sorted(secrets).flatMap(([key, each]) => contentOf(key, each)),
  };
}

function serviceOf(name: string, each: Service): ComposeService {
  return {
    name,
    image: each.image ?? null,
    containerName: each.container_name || null,
    pullsAlways: each.pull_policy === "always",
    pullsNever: each.pull_policy === "never",
    replicas: each.deploy?.replicas ?? each.scale ?? 1,
    restart: restartOf(each),
    mayEnd: restartWord(each) !== null && restartOf(each) === "no",
    healthcheck: healthcheckOf(each.healthcheck),
    healthTest: healthTestOf(each.healthcheck),
    setsStartInterval: healthTestOf(each.healthcheck) !== "none" &&
      (each.healthcheck?.start_interval ?? "") !== "",
    dependsOn: sorted(each.depends_on).map(([service, on]): Dependency => ({
      service,
      condition: on.condition ?? "service_started",
      required: on.required ?? true,
    })),
    ports: (each.ports ?? []).map((port): PublishedPort => ({
      published: portsOf(port.published),
      target: port.target,
      protocol: port.protocol ?? "tcp",
      hostIp: port.host_ip || null,
    })),
    mounts: (each.volumes ?? []).map((mount): Mount => ({
      type: mount.type,
      source: mount.source || null,
      target: mount.target,
      readOnly: mount.read_only ?? false,
      createHostPath: mount.bind?.create_host_path ?? false,
    })),
    configs: (each.configs ?? []).map((reference) => reference.source),
    secrets: (each.secrets ?? []).map((reference) => reference.source),
    tiedTo: tiesOf(each),
    stopGraceMs: parseDuration(each.stop_grace_period ?? "") ?? 10_000,
  };
}

/** `restart` wins over `deploy.restart_policy`, as in compose; `on-failure:3` is on-failure. */
function restartOf(each: Service): RestartPolicy {
  const policy = (restartWord(each) ?? "no").split(":")[0];
  switch (policy) {
    case "always":
    case "on-failure":
    case "unless-stopped":
      return policy;
    case "any":
      return "always";
    default:
      return "no";
  }
}

function restartWord(each: Service): string | null {
  return each.restart ?? each.deploy?.restart_policy?.condition ?? null;
}

function healthTestOf(check: Service["healthcheck"]): ComposeService["healthTest"] {
  const test = typeof check?.test === "string" ? check.test : check?.test?.[0];
  if (check?.disable === true || test === "NONE") return "none";
  return test === undefined ? "image" : "file";
}

/** What the file leaves out, the Engine takes from the image or its own 30 s, 30 s, 3, 0, 5 s. */
function healthcheckOf(check: Service["healthcheck"]): Healthcheck | null {
  if (check === null || check === undefined || healthTestOf(check) === "none") return null;
  return {
    intervalMs: parseDuration(check.interval ?? "") ?? 30_000,
    timeoutMs: parseDuration(check.timeout ?? "") ?? 30_000,
    retries: check.retries ?? 3,
    startPeriodMs: parseDuration(check.start_period ?? "") ?? 0,
    startIntervalMs: parseDuration(check.start_interval ?? "") ?? 5_000,
  };
}

function portsOf(published: string | number | null | undefined): PublishedPort["published"] {
  const match = /^(\d+)(?:-(\d+))?$/.exec(String(published ?? ""));
  if (match === null || Number(match[1]) === 0) return null;
  return { first: Number(match[1]), last: Number(match[2] ?? match[1]) };
}

function tiesOf(each: Service): readonly string[] {
  const spaces = [each.network_mode, each.ipc, each.pid].flatMap((text) => {
    const name = /^service:(.+)$/.exec(text ?? "")?.[1];
    return name === undefined ? [] : [name];
  });
  const from = (each.volumes_from ?? []).filter((text) => !text.startsWith("container:"))
    .map((text) => text.replace(/:(ro|rw)$/, ""));
  return [...new Set([...spaces, ...from])].sort();
}

function resourceOf(key: string, each: z.output<typeof resource>): NamedResource {
  return { key, name: each?.name || key, external: each?.external ?? false };
}

function networkOf(key: string, each: z.output<typeof network>): NetworkResource {
  const options = Object.entries(each?.driver_opts ?? {});
  return {
    ...resourceOf(key, each),
    internal: each?.internal ?? false,
    ipv6: each?.enable_ipv6 ?? null,
    subnets: (each?.ipam?.config ?? []).flatMap(({ subnet }) =>
      subnet?.includes(".") ? subnet : []
    ),
    options: Object.fromEntries(options.map(([name, value]) => [name, String(value)])),
  };
}

function contentOf(key: string, each: z.output<typeof content>): readonly ContentResource[] {
  const source = sourceOf(key, each);
  return source === null ? [] : [{ key, source }];
}

function sourceOf(key: string, each: z.output<typeof content>): ContentSource | null {
  if (each.external === true) return { kind: "external", name: each.name || key };
  if (typeof each.file === "string") return { kind: "file", path: each.file };
  if (typeof each.environment === "string") {
    return { kind: "environment", variable: each.environment };
  }
  return typeof each.content === "string" ? { kind: "content", text: each.content } : null;
}

function sorted<T>(
  record: Readonly<Record<string, T>> | null | undefined,
): readonly (readonly [string, T])[] {
  return Object.entries(record ?? {}).sort(([a], [b]) => a < b ? -1 : 1);
}
