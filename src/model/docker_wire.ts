/**
 * The Docker Engine's answers as this agent reads them, checked and turned into values. A shape
 * that is not expected is an error and never an empty list: "0 containers" would mean "redeploy"
 * (case 18). Shapes: facts: docker §1, §9; the Engine's own API version, no prefix.
 */

import * as z from "zod/mini";
import type { Container, ContainerDetail, Healthcheck } from "./containers.ts";
import { lazy } from "./lazy.ts";

const PROJECT = "com.docker.compose.project";
const SERVICE = "com.docker.compose.service";
const CONFIG_HASH = "com.docker.compose.config-hash";
const ONEOFF = "com.docker.compose.oneoff";

const labels = z.nullish(z.record(z.string(), z.string()));

const listed = z.object({
  Id: z.string().check(z.minLength(1)),
  Names: z.nullish(z.array(z.string())),
  Image: z.string(),
  ImageID: z.string(),
  State: z.string().check(z.minLength(1)),
  Status: z.string(),
  Labels: labels,
  Ports: z.nullish(z.array(z.object({
    IP: z.optional(z.string()),
    PublicPort: z.optional(z.number()),
    Type: z.optional(z.string()),
  }))),
});

type Listed = z.output<typeof listed>;

const inspected = lazy(() =>
  z.object({
    Id: z.string().check(z.minLength(1)),
    RestartCount: z.number(),
    State: z.object({
      Status: z.string().check(z.minLength(1)),
      ExitCode: z.number(),
      OOMKilled: z.nullish(z.boolean()),
      StartedAt: z.nullish(z.string()),
      Health: z.nullish(z.object({
        Status: z.string(),
        Log: z.nullish(z.array(z.object({ Output: z.nullish(z.string()) }))),
      })),
    }),
    HostConfig: z.object({ RestartPolicy: z.nullish(z.object({ Name: z.string() })) }),
    Config: z.object({
      Labels: labels,
      Healthcheck: z.nullish(z.object({
        Test: z.nullish(z.array(z.string())),
        Interval: z.nullish(z.number()),
        Timeout: z.nullish(z.number()),
        Retries: z.nullish(z.number()),
        StartPeriod: z.nullish(z.number()),
        StartInterval: z.nullish(z.number()),
      })),
    }),
  })
);

const engineInfo = lazy(() => z.object({ ServerVersion: z.string(), DockerRootDir: z.string() }));

const engineVersion = lazy(() =>
  z.object({
    Version: z.string(),
    ApiVersion: z.string(),
    MinAPIVersion: z.nullish(z.string()),
  })
);

const imageInspect = lazy(() =>
  z.object({
    Id: z.string().check(z.minLength(1)),
    Size: z.number(),
    RepoTags: z.nullish(z.array(z.string())),
    Config: z.nullish(z.object({
      Healthcheck: z.nullish(z.object({ Test: z.nullish(z.array(z.string())) })),
    })),
  })
);

const named = z.array(z.object({ Name: z.string() }));
const volumeList = lazy(() => z.object({ Volumes: z.nullish(named) }));

const engineError = lazy(() => z.object({ message: z.string() }));

/** What the Engine says of itself. */
export interface EngineFacts {
  readonly version: string;
  readonly dataRoot: string;
}

/** The Engine's versions: its own, and those of its API that it serves. */
export interface EngineVersion {
  readonly version: string;
  readonly apiVersion: string;
  readonly minApiVersion: string | null;
}

/** An image on the box. */
export interface LocalImage {
  readonly id: string;
  /** Unpacked, layers that others share included. */
  readonly sizeBytes: number;
  /** Names that anybody has given it; none when a tag has moved on. */
  readonly tags: readonly string[];
  /** It brings a healthcheck that a service may leave as it is. */
  readonly hasHealthcheck: boolean;
}

/** A host port that a running container holds. */
export interface HeldPort {
  readonly port: number;
  /** `tcp`, `udp`, `sctp`. */
  readonly protocol: string;
  /** `0.0.0.0`, `::`, or the one address it is bound to. */
  readonly hostIp: string;
  /** The compose project of the holder, or null. */
  readonly project: string | null;
  /** The holder's name. */
  readonly container: string;
}

/** A name that a container has, running or not. */
export interface HeldName {
  readonly name: string;
  /** The compose project and service of the holder, or null. */
  readonly project: string | null;
  readonly service: string | null;
}

/** Takes the parsed body of `/containers/json`; gives the containers, or null for another shape. */
export function parseContainers(body: unknown): readonly Container[] | null {
  const result = z.array(listed).safeParse(body);
  return result.success ? result.data.map(containerOf) : null;
}

/** Takes the parsed body of `/containers/json`; gives the host ports held, or null. */
export function parseHeldPorts(body: unknown): readonly HeldPort[] | null {
  const result = z.array(listed).safeParse(body);
  if (!result.success) return null;
  return result.data.flatMap((each) =>
    (each.Ports ?? []).flatMap((port): readonly HeldPort[] =>
      port.PublicPort === undefined ? [] : [{
        port: port.PublicPort,
        protocol: port.Type ?? "tcp",
        hostIp: port.IP ?? "0.0.0.0",
        project: each.Labels?.[PROJECT] ?? null,
        container: nameOf(each),
      }]
    )
  );
}

/** Takes the parsed body of `/containers/json`; gives the names held, or null. */
export function parseHeldNames(body: unknown): readonly HeldName[] | null {
  const result = z.array(listed).safeParse(body);
  if (!result.success) return null;
  return result.data.flatMap((each) =>
    // A link gives a container further names, below that of the other: `/web/db`.
    (each.Names ?? []).map((name) => name.replace(/^\//, "")).filter((name) => !name.includes("/"))
      .map((name): HeldName => ({
        name,
        project: each.Labels?.[PROJECT] ?? null,
        service: each.Labels?.[SERVICE] ?? null,
      }))
  );
}

/** Takes the parsed body of `/containers/ID/json`; gives the detail, or null. */
export function parseDetail(body: unknown): ContainerDetail | null {
  const result = inspected().safeParse(body);
  if (!result.success) return null;
  const { Id, State, RestartCount, HostConfig, Config } = result.data;
  return {
    id: Id,
    service: Config.Labels?.[SERVICE] ?? "",
    state: State.Status,
    health: healthOf(State.Health?.Status ?? ""),
    exitCode: State.ExitCode,
    restarts: RestartCount,
    oomKilled: State.OOMKilled ?? false,
    startedAt: timeOf(State.StartedAt ?? ""),
    restartPolicy: HostConfig.RestartPolicy?.Name || "no",
    healthcheck: healthcheckOf(Config.Healthcheck),
  };
}

/**
 * Takes the parsed body of `/containers/ID/json`; gives what the healthcheck's last look printed, `""`
 * when there was none, or null for another shape.
 */
export function parseHealthOutput(body: unknown): string | null {
  const result = inspected().safeParse(body);
  return result.success ? result.data.State.Health?.Log?.at(-1)?.Output ?? "" : null;
}

/** Takes the parsed body of `/info`; gives what the agent needs of it, or null. */
export function parseEngine(body: unknown): EngineFacts | null {
  const result = engineInfo().safeParse(body);
  if (!result.success) return null;
  return { version: result.data.ServerVersion, dataRoot: result.data.DockerRootDir };
}

/** Takes the parsed body of `/version`; gives the versions, or null. */
export function parseVersion(body: unknown): EngineVersion | null {
  const result = engineVersion().safeParse(body);
  if (!result.success) return null;
  const { Version, ApiVersion, MinAPIVersion } = result.data;
  return { version: Version, apiVersion: ApiVersion, minApiVersion: MinAPIVersion ?? null };
}

/** Takes the parsed body of `/images/REF/json`; gives the image, or null. */
export function parseImage(body: unknown): LocalImage | null {
  const result = imageInspect().safeParse(body);
  if (!result.success) return null;
  const { Id: id, Size: sizeBytes, RepoTags, Config } = result.data;
  const tags = (RepoTags ?? []).filter((tag) => tag !== "<none>:<none>");
  const test = Config?.Healthcheck?.Test?.[0] ?? "NONE";
  return { id, sizeBytes, tags, hasHealthcheck: test !== "NONE" };
}

/** Takes the parsed body of `/volumes`; gives their names, sorted, or null. */
export function parseVolumeNames(body: unknown): readonly string[] | null {
  const result = volumeList().safeParse(body);
  return result.success ? (result.data.Volumes ?? []).map((each) => each.Name).sort() : null;
}

/** Takes the parsed body of an error; gives the Engine's words, or null. */
export function parseEngineError(body: unknown): string | null {
  const result = engineError().safeParse(body);
  return result.success ? result.data.message : null;
}

function containerOf(each: Listed): Container {
  const health = /\((healthy|unhealthy|health: starting)\)$/.exec(each.Status)?.[1] ?? "";
  const exit = /^(?:Exited|Restarting) \((\d+)\)/.exec(each.Status)?.[1];
  return {
    id: each.Id,
    name: nameOf(each),
    service: each.Labels?.[SERVICE] ?? "",
    state: each.State,
    health: healthOf(health.replace("health: ", "")),
    exitCode: exit === undefined ? null : Number(exit),
    image: each.Image,
    imageId: each.ImageID,
    configHash: each.Labels?.[CONFIG_HASH] ?? "",
    oneoff: each.Labels?.[ONEOFF] === "True",
  };
}

function nameOf(each: Listed): string {
  return (each.Names?.[0] ?? each.Id).replace(/^\//, "");
}

function healthOf(text: string): Container["health"] {
  return text === "healthy" || text === "unhealthy" || text === "starting" ? text : null;
}

/** Gives epoch milliseconds; the Engine writes the year 1 for "never". */
function timeOf(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) || at <= 0 ? null : at;
}

const NS_PER_MS = 1_000_000;

/** Zero stands for the Engine's default: 30 s, 30 s, 3, and 5 s within the start period. */
function healthcheckOf(
  check: z.output<ReturnType<typeof inspected>>["Config"]["Healthcheck"],
): Healthcheck | null {
  const test = check?.Test?.[0];
  if (check === null || check === undefined || test === undefined || test === "NONE") return null;
  return {
    intervalMs: (check.Interval || 30_000 * NS_PER_MS) / NS_PER_MS,
    timeoutMs: (check.Timeout || 30_000 * NS_PER_MS) / NS_PER_MS,
    retries: check.Retries || 3,
    startPeriodMs: (check.StartPeriod ?? 0) / NS_PER_MS,
    startIntervalMs: (check.StartInterval || 5_000 * NS_PER_MS) / NS_PER_MS,
  };
}
