/**
 * What the Docker Engine says about the box's project. Asked past the box's forwarder, so that
 * looking counts as nobody's request.
 */

import type { Box } from "../box/box.ts";
import { dockerCall, dockerRequest } from "../lab/mod.ts";

/** One container of the project. */
export interface Service {
  readonly id: string;
  /** RFC 3339 with nanoseconds: it changes with every start. */
  readonly startedAt: string;
  readonly running: boolean;
  /** Port of 127.0.0.1 that leads to the container's 8080, when it publishes that. */
  readonly port: number | null;
  /** Everything the Engine knows of it except its environment, where secrets belong. */
  readonly described: string;
}

/** The project at one moment. */
export interface Look {
  /** By service name. */
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: readonly string[];
  /** Name → when it was made. */
  readonly volumes: Readonly<Record<string, string>>;
}

interface Inspected {
  readonly Id: string;
  readonly State: { readonly Running: boolean; readonly StartedAt: string };
  readonly Config: Readonly<Record<string, unknown>> & {
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, readonly { readonly HostPort: string }[] | null>>;
  };
}

/** Takes a box; gives its project as it is now. Throws Error when the Engine does not answer. */
export async function lookAt(box: Box): Promise<Look> {
  const socket = box.lab.docker.socket;
  const filters = encodeURIComponent(
    JSON.stringify({ label: [`com.docker.compose.project=${box.project}`] }),
  );
  const read = async <T>(path: string): Promise<T> =>
    JSON.parse(await dockerCall(socket, "GET", path)) as T;
  const networks = await read<readonly { readonly Name: string }[]>(`/networks?filters=${filters}`);
  const { Volumes } = await read<{
    readonly Volumes: readonly { readonly Name: string; readonly CreatedAt: string }[] | null;
  }>(`/volumes?filters=${filters}`);
  const services: Record<string, Service> = {};
  for (const { Id } of await box.containers()) {
    const answer = await dockerRequest(socket, "GET", `/containers/${Id}/json`);
    if (answer.status === 404) continue;
    const inspected = JSON.parse(answer.text) as Inspected;
    const name = inspected.Config.Labels["com.docker.compose.service"] ?? Id;
    services[name] = serviceOf(inspected);
  }
  return {
    services,
    networks: networks.map(({ Name }) => Name),
    volumes: Object.fromEntries((Volumes ?? []).map(({ Name, CreatedAt }) => [Name, CreatedAt])),
  };
}

/** Kills a service's container, as an operator's slip or a lack of memory would. */
export async function killService(box: Box, service: string): Promise<void> {
  const { id } = (await lookAt(box)).services[service] ?? { id: "none" };
  await dockerCall(box.lab.docker.socket, "POST", `/containers/${id}/kill`);
}

function serviceOf(inspected: Inspected): Service {
  const { Env: _env, ...config } = inspected.Config;
  const port = inspected.NetworkSettings.Ports["8080/tcp"]?.[0]?.HostPort;
  return {
    id: inspected.Id,
    startedAt: inspected.State.StartedAt,
    running: inspected.State.Running,
    port: port === undefined ? null : Number(port),
    described: JSON.stringify({ ...inspected, Config: config }),
  };
}
