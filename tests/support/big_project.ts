/**
 * A Docker Engine that has hundreds of services running, and a compose plugin that agrees with it:
 * real processes and a real socket, so that the agent's memory can be measured from outside.
 */

import type { BundleFiles } from "../../scripts/tenancy/mod.ts";
import { writeExecutable } from "./executable.ts";

/** How many services there are, and of which project. */
export interface BigProject {
  readonly project: string;
  readonly services: number;
}

const IMAGE = "lab/bb:1";
const IMAGE_ID = `sha256:${"1".repeat(64)}`;

function namesOf({ services }: BigProject): readonly string[] {
  return Array.from({ length: services }, (_, at) => `s${at}`);
}

/** Gives the bundle of the project. */
export function bigBundle(big: BigProject): BundleFiles {
  const services = namesOf(big).map((name) => `  ${name}: {image: "${IMAGE}", restart: always}\n`);
  return { "docker-compose.yml": `services:\n${services.join("")}` };
}

/** What `config --format json` says of it. */
function modelOf(big: BigProject): string {
  const service = { image: IMAGE, restart: "always", networks: { default: null } };
  const services = Object.fromEntries(namesOf(big).map((name) => [name, service]));
  const networks = { default: { name: `${big.project}_default`, ipam: {} } };
  return JSON.stringify({ name: big.project, networks, services });
}

function labelsOf(big: BigProject, service: string): Readonly<Record<string, string>> {
  return {
    "com.docker.compose.project": big.project,
    "com.docker.compose.service": service,
    "com.docker.compose.config-hash": "1".repeat(64),
    "com.docker.compose.oneoff": "False",
    "org.opencontainers.image.description": "a label of a usual length ".repeat(20),
  };
}

/** Serves the Engine on a unix socket until it is shut down. */
export function serveBigEngine(
  path: string,
  big: BigProject,
): Deno.HttpServer<Deno.UnixAddr> {
  const listed = namesOf(big).map((service) => ({
    Id: service,
    Names: [`/${big.project}-${service}-1`],
    Image: IMAGE,
    ImageID: IMAGE_ID,
    State: "running",
    Status: "Up 5 minutes",
    Labels: labelsOf(big, service),
  }));
  const detailOf = (service: string): object => ({
    Id: service,
    RestartCount: 0,
    State: { Status: "running", ExitCode: 0, OOMKilled: false, StartedAt: "2026-11-30T00:00:00Z" },
    HostConfig: { RestartPolicy: { Name: "always" } },
    Config: { Labels: labelsOf(big, service) },
  });
  return Deno.serve({ path, onListen: () => {} }, (request) => {
    const target = new URL(request.url).pathname;
    const container = /^\/containers\/(s\d+)\/json$/.exec(target)?.[1];
    if (container !== undefined) return Response.json(detailOf(container));
    if (target === "/containers/json") return Response.json(listed);
    if (target === "/version") return Response.json({ Version: "24.0.7", ApiVersion: "1.43" });
    if (target === "/networks") return Response.json([]);
    if (target === "/info") {
      return Response.json({ ServerVersion: "24.0.7", DockerRootDir: "/var/lib/docker" });
    }
    if (/^\/images\/.*\/json$/.test(target)) {
      return Response.json({ Id: IMAGE_ID, Size: 1, RepoTags: [IMAGE] });
    }
    return Response.json({ message: `no such thing: ${target}` }, { status: 404 });
  });
}

/** What a fake plugin does besides answering `config` and `version`. */
export interface FakePlugin {
  /** Shell commands for `config`, instead of printing the model. */
  readonly config?: string;
  /** Shell commands for `pull`. */
  readonly pull?: string;
}

/** Writes the plugin. It finds its programs by path, since it gets no PATH that leads anywhere. */
export async function writeFakePlugin(
  path: string,
  big: BigProject,
  { config, pull }: FakePlugin,
): Promise<void> {
  await Deno.writeTextFile(`${path}.json`, modelOf(big));
  const script = `#!/bin/sh
PATH=/usr/bin:/bin
case " $* " in
  *" version "*) echo 2.26.1 ;;
  *" config "*) ${config ?? `cat '${path}.json'`} ;;
  *" pull "*) ${pull ?? ":"} ;;
esac
`;
  await writeExecutable(path, script);
}

/** Gives the most memory that a process had in use so far, in MiB; null once it is gone. */
export function peakMemoryMib(pid: number): number | null {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}
