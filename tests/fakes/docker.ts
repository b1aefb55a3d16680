/**
 * A stand-in for the Docker Engine behind the agent's own HTTP port: the calls that the agent makes,
 * answered in the Engine's shapes (facts: docker §1, §9), held to the same contract list as the real
 * one. A call that it does not know is an error of the test, not an answer.
 */

import type { Http, HttpReply, HttpRequest } from "../../src/ports.ts";
import { type FakeContainer, FakeEngine, type FakeResource, statusText } from "./docker_engine.ts";

export { FakeEngine } from "./docker_engine.ts";

/** Changes one answer on its way out; gives it back as it is where it does not care. */
export type Tamper = (request: HttpRequest, reply: HttpReply) => HttpReply | Error;

/** The stand-in and what it saw. */
export interface FakeDocker {
  readonly engine: FakeEngine;
  readonly http: Http;
  /** `METHOD target`, oldest first. */
  readonly requests: readonly string[];
  /** From now on, every answer passes this; null: none. An Error is thrown instead of an answer. */
  tamper(change: Tamper | null): void;
}

/** Makes an Engine that has the image `lab/bb:1` and nothing else. */
export function createFakeDocker(engine: FakeEngine = new FakeEngine()): FakeDocker {
  const requests: string[] = [];
  let tamper: Tamper | null = null;

  function answer(request: HttpRequest): HttpReply {
    if (request.peer !== "docker") throw new Error(`the fake Engine was asked for ${request.peer}`);
    requests.push(`${request.method} ${request.target}`);
    const reply = route(engine, request);
    const changed = tamper === null ? reply : tamper(request, reply);
    if (changed instanceof Error) throw changed;
    return changed;
  }

  return {
    engine,
    requests,
    tamper(change): void {
      tamper = change;
    },
    http: {
      request: (request) => Promise.try(() => answer(request)),
      many: (all) =>
        Promise.resolve(all.map((request) => {
          try {
            return answer(request);
          } catch (thrown) {
            return thrown instanceof Error ? thrown : new Error(String(thrown));
          }
        })),
    },
  };
}

function route(engine: FakeEngine, { method, target }: HttpRequest): HttpReply {
  const [path = "", query = ""] = target.split("?");
  const parts = path.split("/").slice(1).map(decodeURIComponent);
  const params = new URLSearchParams(query);
  const [kind = "", name = "", verb = ""] = parts;
  switch (`${method} ${kind} ${verb}`.trimEnd()) {
    case "GET info":
      return json(200, { ServerVersion: "20.10.24", DockerRootDir: "/var/lib/docker" });
    case "GET version":
      return json(200, { Version: "20.10.24", ApiVersion: "1.41", MinAPIVersion: "1.12" });
    case "GET containers":
      if (name === "json") return json(200, listContainers(engine, params));
      break;
    case "GET containers json":
      return ofContainer(engine, name, (each) => json(200, inspection(each)));
    case "GET containers logs":
      return ofContainer(engine, name, (each) => ({ status: 200, headers: {}, body: each.log }));
    case "POST containers unpause":
      return ofContainer(engine, name, unpause);
    case "POST containers rename":
      return ofContainer(engine, name, (each) => rename(each, engine, params.get("name") ?? ""));
    case "GET images json":
      return ofImage(
        engine,
        name,
        (image) => json(200, { Id: image.id, Size: image.sizeBytes, RepoTags: [name] }),
      );
    case "DELETE images":
      return ofImage(engine, name, () => removeImage(engine, name));
    case "GET networks":
      if (name === "") return json(200, listNames(engine.networks, params));
      return ofName(engine.networks, name, `network ${name} not found`);
    case "GET volumes":
      if (name === "") {
        return json(200, { Volumes: listNames(engine.volumes, params), Warnings: null });
      }
      return ofName(engine.volumes, name, `get ${name}: no such volume`);
  }
  throw new Error(`the fake Engine does not know ${method} ${target}`);
}

function json(status: number, body: unknown): HttpReply {
  const text = JSON.stringify(body);
  return {
    status,
    headers: { "content-type": "application/json", "api-version": "1.41" },
    body: new TextEncoder().encode(`${text}\n`),
  };
}

/** The project of the label filter; null when there is none. Other filters are not known. */
function projectOf(params: URLSearchParams): string | null {
  const filters = params.get("filters");
  if (filters === null) return null;
  const label = /^\{"label":\["com\.docker\.compose\.project=([^"]*)"\]\}$/.exec(filters)?.[1];
  if (label === undefined) throw new Error(`the fake Engine does not know the filter ${filters}`);
  return label;
}

function listContainers(engine: FakeEngine, params: URLSearchParams): readonly unknown[] {
  const project = projectOf(params);
  return engine.containers.toReversed()
    .filter((each) => project === null || each.project === project)
    .filter((each) => params.get("all") === "1" || /^(running|paused|restarting)$/.test(each.state))
    .map((each) => ({
      Id: each.id,
      Names: [`/${each.name}`],
      Image: each.image,
      ImageID: each.imageId,
      Command: "sh",
      Created: 1_800_000_000,
      Ports: each.state === "running"
        ? each.ports.map((port) => ({
          IP: port.ip,
          PrivatePort: 80,
          PublicPort: port.port,
          Type: port.protocol,
        }))
        : [],
      Labels: labelsOf(each),
      State: each.state,
      Status: statusText(each),
      HostConfig: { NetworkMode: each.networks[0] ?? "none" },
      Mounts: [],
    }));
}

function labelsOf(each: FakeContainer): Readonly<Record<string, string>> {
  return {
    ...each.labels,
    "com.docker.compose.project": each.project,
    "com.docker.compose.service": each.service,
    "com.docker.compose.config-hash": each.configHash,
    "com.docker.compose.container-number": String(each.number),
    "com.docker.compose.oneoff": each.oneoff ? "True" : "False",
  };
}

function inspection(each: FakeContainer): unknown {
  const health = each.health === null ? {} : { Health: { Status: each.health, FailingStreak: 0 } };
  return {
    Id: each.id,
    Name: `/${each.name}`,
    RestartCount: each.restarts,
    State: {
      Status: each.state,
      ExitCode: each.state === "running" ? 0 : each.exitCode,
      OOMKilled: false,
      StartedAt: each.startedAt,
      ...health,
    },
    HostConfig: { RestartPolicy: { Name: each.restartPolicy, MaximumRetryCount: 0 } },
    Config: {
      Labels: labelsOf(each),
      ...(each.healthcheck === null ? {} : { Healthcheck: each.healthcheck }),
    },
  };
}

function ofContainer(
  engine: FakeEngine,
  id: string,
  use: (container: FakeContainer) => HttpReply,
): HttpReply {
  const found = engine.containers.find((each) => each.id === id || each.name === id);
  return found === undefined ? json(404, { message: `No such container: ${id}` }) : use(found);
}

function unpause(container: FakeContainer): HttpReply {
  if (container.state !== "paused") {
    return json(500, { message: `Container ${container.id} is not paused` });
  }
  container.state = "running";
  return { status: 204, headers: {}, body: new Uint8Array() };
}

function rename(container: FakeContainer, engine: FakeEngine, name: string): HttpReply {
  const isTaken = engine.containers.some((each) => each.name === name);
  if (isTaken) return json(409, { message: `Conflict. The container name "/${name}" is in use` });
  container.name = name;
  return { status: 204, headers: {}, body: new Uint8Array() };
}

function ofImage(
  engine: FakeEngine,
  ref: string,
  use: (image: { readonly id: string; readonly sizeBytes: number }) => HttpReply,
): HttpReply {
  if (/[A-Z]/.test(ref.replace(/^sha256:/, ""))) {
    return json(400, { message: `no such image: ${ref}: invalid reference format` });
  }
  const image = engine.images.get(ref) ??
    [...engine.images.values()].find((each) => each.id === ref);
  return image === undefined
    ? json(404, { message: `no such image: ${ref}: No such image: ${ref}` })
    : use(image);
}

function removeImage(engine: FakeEngine, ref: string): HttpReply {
  const own = engine.images.get(ref);
  const names = [...engine.images].filter(([, image]) => image.id === (own?.id ?? ref));
  const isUsed = engine.containers.some((each) => each.imageId === (own?.id ?? ref));
  if (isUsed && names.length <= 1) {
    return json(409, { message: `conflict: unable to remove repository reference "${ref}"` });
  }
  if (own === undefined && names.length > 1) {
    return json(409, { message: "conflict: image is referenced in multiple repositories" });
  }
  engine.images.delete(own === undefined ? names[0]?.[0] ?? ref : ref);
  return json(200, [{ Untagged: ref }]);
}

function listNames(resources: readonly FakeResource[], params: URLSearchParams): unknown[] {
  const project = projectOf(params);
  return resources.filter((each) => project === null || each.project === project)
    .map((each) => ({ Name: each.name, Driver: "local" }));
}

function ofName(resources: readonly FakeResource[], name: string, absent: string): HttpReply {
  const found = resources.find((each) => each.name === name);
  return found === undefined ? json(404, { message: absent }) : json(200, { Name: found.name });
}
