/**
 * Releases that cannot work, each in its own way, over a project of two services: what the agent
 * must call it, and whether the good container can be kept.
 */

import type { Box } from "../../scripts/box/box.ts";
import { dockerCall } from "../../scripts/lab/mod.ts";
import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { ownLoopback } from "./loopback.ts";

const LOOPBACK = ownLoopback();

const STAYS = `image: lab/bb:1
    init: true
    command: ["sleep", "3600"]
    stop_grace_period: 1s`;

/** `web` as given, `worker` as it always is, and more services or files. */
export function bundle(web: string, more = "", files: BundleFiles = {}): BundleFiles {
  const compose = `services:\n  web:\n    ${web}\n  worker:\n    ${STAYS}\n${more}`;
  return { "docker-compose.yml": compose, ...files };
}

/** The release that runs well. */
export const good = (revision: string): BundleFiles =>
  bundle(`${STAYS}\n    environment: ["REVISION=${revision}"]`);

/** A release that cannot work, and what must be said of it. */
export interface Broken {
  readonly name: string;
  readonly code: string;
  /** Stand in the report's detail. */
  readonly says: readonly string[];
  /**
   * What becomes of the good `web`. `kept`: found out before any container is touched. `gone`:
   * compose removes the old container before the new one can show that it does not run.
   */
  readonly web: "kept" | "gone";
  readonly files: (box: Box) => BundleFiles;
  /** Stands in the way until what it gives is called. */
  readonly obstacle?: (box: Box) => Promise<() => Promise<void>>;
  readonly exit?: number;
}

/** The account is a secret like others; `password` is the one that is stored for it. */
function withAccount(box: Box, tag: string, password: string): BundleFiles {
  const entries = [{ var: "REG_USER", path: "registry", key: "user" }, {
    var: "REG_PASSWORD",
    path: "registry",
    key: password,
  }];
  const { address: host } = box.lab.registry;
  const registries = [{ host, username_var: "REG_USER", password_var: "REG_PASSWORD" }];
  return bundle(`image: ${host}/lab/bb:${tag}`, "", {
    "manifest.json": JSON.stringify({ entries, registries }),
  });
}

async function holdPort(box: Box): Promise<() => Promise<void>> {
  const body = JSON.stringify({
    Image: "lab/bb:1",
    ExposedPorts: { "80/tcp": {} },
    HostConfig: { PortBindings: { "80/tcp": [{ HostIp: LOOPBACK, HostPort: "18094" }] } },
  });
  const { socket } = box.lab.docker;
  const headers = { "content-type": "application/json" };
  const made = await dockerCall(socket, "POST", "/containers/create", { body, headers });
  const { Id } = JSON.parse(made) as { readonly Id: string };
  await dockerCall(socket, "POST", `/containers/${Id}/start`);
  return async () => void await dockerCall(socket, "DELETE", `/containers/${Id}?force=1`);
}

const EXHAUSTED = `${LOOPBACK}:18093`;

function serveExhausted(): Promise<() => Promise<void>> {
  const errors = [{ code: "TOOMANYREQUESTS", message: "pull quota used up" }];
  const server = Deno.serve(
    { hostname: LOOPBACK, port: 18093, onListen: () => {} },
    () => Response.json({ errors }, { status: 429, headers: { "retry-after": "120" } }),
  );
  return Promise.resolve(() => server.shutdown());
}

/** Each way of being broken; `web` is what the release changes, `worker` what it leaves alone. */
export const BROKEN: readonly Broken[] = [
  {
    name: "a malformed image reference",
    code: "COMPOSE_INVALID",
    says: ["image reference"],
    web: "kept",
    files: () => bundle(`image: "Lab/BB:1"`),
  },
  {
    name: "case 46: a tag that the registry does not have",
    code: "IMAGE_NOT_FOUND",
    says: ["lab/bb:no-such-tag"],
    web: "kept",
    files: (box) => withAccount(box, "no-such-tag", "password"),
  },
  {
    name: "case 45: no account for the registry",
    code: "REGISTRY_AUTH",
    says: ["no basic auth credentials"],
    web: "kept",
    files: (box) => bundle(`image: ${box.lab.registry.address}/lab/bb:no-such-tag`),
  },
  {
    name: "case 45: a registry account that has expired",
    code: "REGISTRY_AUTH",
    says: ["unauthorized"],
    web: "kept",
    files: (box) => withAccount(box, "no-such-tag", "expired"),
  },
  {
    name: "a registry that is down",
    code: "REGISTRY_UNAVAILABLE",
    says: ["connection refused"],
    web: "kept",
    exit: 75,
    files: () => bundle(`image: 127.0.0.1:1/lab/bb:1`),
  },
  {
    name: "case 44: a registry whose quota is used up",
    code: "REGISTRY_RATE_LIMITED",
    says: ["quota"],
    web: "kept",
    exit: 75,
    files: () => bundle(`image: ${EXHAUSTED}/lab/bb:1`),
    obstacle: serveExhausted,
  },
  {
    name: "compose files that compose refuses",
    code: "COMPOSE_INVALID",
    says: ["web"],
    web: "kept",
    files: () => bundle(`image: lab/bb:1\n    depends_on: [nobody]`),
  },
  {
    name: "case 28: a dependency behind a profile",
    code: "COMPOSE_INVALID",
    says: ["web"],
    web: "kept",
    files: () =>
      bundle(
        `${STAYS}\n    depends_on: [tool]`,
        `  tool:\n    image: lab/bb:1\n    profiles: [ci]\n`,
      ),
  },
  {
    name: "case 30: an external network that is not there",
    code: "NETWORK_MISSING",
    says: ["no-such-network"],
    web: "kept",
    files: () =>
      bundle(
        `${STAYS}\n    networks: [edge]`,
        "networks: {edge: {external: true, name: no-such-network}}\n",
      ),
  },
  {
    name: "case 30: an external volume that is not there",
    code: "VOLUME_MISSING",
    says: ["no-such-volume"],
    web: "kept",
    files: () =>
      bundle(
        `${STAYS}\n    volumes: ["data:/data"]`,
        "volumes: {data: {external: true, name: no-such-volume}}\n",
      ),
  },
  {
    name: "a port that another project's container publishes",
    code: "PORT_IN_USE",
    says: ["18094"],
    web: "kept",
    files: () => bundle(`${STAYS}\n    ports: ["${LOOPBACK}:18094:80"]`),
    obstacle: holdPort,
  },
  {
    name: "a port that a program of the box holds, which only docker's own try can tell",
    code: "PORT_IN_USE",
    says: ["18095"],
    web: "gone",
    files: () => bundle(`${STAYS}\n    ports: ["${LOOPBACK}:18095:80"]`),
    obstacle: () => {
      const listener = Deno.listen({ hostname: LOOPBACK, port: 18095 });
      return Promise.resolve(() => Promise.resolve(listener.close()));
    },
  },
  {
    name: "a program that is not in the image",
    code: "UP_FAILED",
    says: ["/no-such-program", "-web-1"],
    web: "gone",
    files: () => bundle(`image: lab/bb:1\n    command: ["/no-such-program"]`),
  },
  {
    name: "a service that ends at once",
    code: "UNHEALTHY",
    says: ["web exited with 3", "cannot find my database"],
    web: "gone",
    files: () =>
      bundle(`image: lab/bb:1\n    command: ["sh", "-c", "echo cannot find my database; exit 3"]`),
  },
  {
    name: "case 68: a service that ends after 20,000 lines is quoted by its last ones",
    code: "UNHEALTHY",
    says: ["web exited with 4", "line 19999"],
    web: "gone",
    files: () =>
      bundle(
        `image: lab/bb:1\n    command: ["sh", "-c", "seq 0 19999 | sed 's/^/line /'; exit 4"]`,
      ),
  },
  {
    name: "a service that turns out unhealthy after a while",
    code: "UNHEALTHY",
    says: ["web unhealthy", "listening soon", "its healthcheck:", "no database yet"],
    web: "gone",
    files: () =>
      bundle(`image: lab/bb:1
    init: true
    command: ["sh", "-c", "echo listening soon; sleep 3600"]
    stop_grace_period: 1s
    healthcheck:
      test: ["CMD", "sh", "-c", "echo no database yet; exit 1"]
      interval: 1s
      retries: 2`),
  },
  {
    name: "case 22: a one-shot that fails takes down what waits for it, and both are named",
    code: "UNHEALTHY",
    says: ["migrate", "exit 1"],
    web: "gone",
    files: () =>
      bundle(
        `${STAYS}
    environment: [REVISION=22]
    depends_on: {migrate: {condition: service_completed_successfully}}`,
        `  migrate:\n    image: lab/bb:1\n    command: ["sh", "-c", "exit 1"]\n`,
      ),
  },
];
