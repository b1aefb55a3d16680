/** Containers, details and services for tests: a usual one each, changed by what the test is about. */

import type { ComposeModel, ComposeService } from "../../src/model/compose_model.ts";
import type { Container, ContainerDetail } from "../../src/model/containers.ts";
import { parseContainers } from "../../src/model/docker_wire.ts";

/** Gives a running container `p-web-1` without a healthcheck. */
export function container(change: Partial<Container> = {}): Container {
  return {
    id: `id-${change.service ?? "web"}`,
    name: `p-${change.service ?? "web"}-1`,
    service: "web",
    state: "running",
    health: null,
    exitCode: null,
    image: "lab/bb:1",
    imageId: "sha256:aa",
    configHash: "h1",
    oneoff: false,
    ...change,
  };
}

/** Gives the detail of that container. */
export function detail(change: Partial<ContainerDetail> = {}): ContainerDetail {
  return {
    id: `id-${change.service ?? "web"}`,
    service: "web",
    state: "running",
    health: null,
    exitCode: 0,
    restarts: 0,
    oomKilled: false,
    startedAt: 1_000,
    restartPolicy: "no",
    healthcheck: null,
    ...change,
  };
}

/** Gives a service `web` with one replica and nothing else. */
export function service(change: Partial<ComposeService> = {}): ComposeService {
  return {
    name: "web",
    image: "lab/bb:1",
    containerName: null,
    pullsAlways: false,
    pullsNever: false,
    replicas: 1,
    restart: "no",
    mayEnd: false,
    healthcheck: null,
    healthTest: "image",
    setsStartInterval: false,
    dependsOn: [],
    ports: [],
    mounts: [],
    configs: [],
    secrets: [],
    tiedTo: [],
    stopGraceMs: 10_000,
    ...change,
  };
}

/** Gives a model of the services. */
export function model(
  services: readonly ComposeService[],
  rest: Partial<ComposeModel> = {},
): ComposeModel {
  return { project: "p", services, networks: [], volumes: [], configs: [], secrets: [], ...rest };
}

/** Takes lines as `docker compose ps` prints them; gives the containers that the Engine would list. */
export function containersOfPs(ndjson: string): readonly Container[] {
  const body = ndjson.trim().split("\n").map((line, at) => {
    const ps = JSON.parse(line);
    return {
      Id: `id-${at}`,
      Names: [`/${ps.Name ?? `p-${ps.Service}-1`}`],
      Image: "lab/bb:1",
      ImageID: "sha256:aa",
      State: ps.State,
      Status: ps.Status,
      Labels: {
        "com.docker.compose.service": ps.Service,
        "com.docker.compose.config-hash": "h1",
        "com.docker.compose.oneoff": /oneoff=True/.test(ps.Labels ?? "") ? "True" : "False",
      },
    };
  });
  const containers = parseContainers(body);
  if (containers === null) throw new Error("the case's lines are no containers");
  return containers;
}

/** Reads a file of a field case. */
export function caseFile(path: string): string {
  return Deno.readTextFileSync(new URL(`../cases/${path}`, import.meta.url));
}
