/**
 * A box of the lab told as a default install: its paths and ports stand where the package and the
 * defaults of the config put them, so that the account is the same on every machine. Pure.
 */

import { parseConfig } from "../../src/config/parse.ts";
import type { Config, HostPort, Transport } from "../../src/model/config.ts";
import type { Access } from "./access.ts";

/** The config of the install that is told of: defaults, and every key that may add a grant. */
export function defaultConfig(transport: Transport): Config {
  return parseConfig(`env_id: env-qa-02
site: cbs
transport: ${transport}
bao: {ca: /etc/monky-deployd/openbao-ca.pem}
tenancy: {bundle_keys: [/etc/monky-deployd/bundle-keys.pem]}
docker: {compose: /usr/libexec/docker/cli-plugins/docker-compose}
policy: {bind_allow: [/srv/monky]}
metrics_textfile: /var/lib/prometheus/node-exporter/monky-deployd.prom
sdk: {node: /usr/bin/node}
`).config;
}

/** Takes a box's config and its file; gives what tells its accesses as those of the default install. */
export function asDefault(box: Config, configPath: string): (access: Access) => Access {
  const told = defaultConfig(box.transport);
  const pairs: (readonly [string, string])[] = [
    [configPath, "/etc/monky-deployd/config.yaml"],
    [box.deployDir, told.deployDir],
    [box.stateDir, told.stateDir],
    [box.bootstrapFile, told.bootstrapFile],
    [box.identity, told.identity],
    [box.docker.socket, told.docker.socket],
    [box.docker.dataRoot, told.docker.dataRoot],
    [box.docker.compose ?? "", told.docker.compose ?? ""],
    [box.bao.ca ?? "", told.bao.ca ?? ""],
    [box.sdk.node, told.sdk.node],
    [box.sdk.bridge, told.sdk.bridge],
    ...zip(box.tenancy.bundleKeys, told.tenancy.bundleKeys),
    ...zip(box.policy.bindAllow, told.policy.bindAllow),
    ...metricsPairs(box.metricsTextfile ?? "", told.metricsTextfile ?? ""),
  ];
  const known = pairs.filter(([from]) => from !== "");
  // The longest first: deploy_dir lies in state_dir.
  const paths = known.toSorted(([a], [b]) => b.length - a.length);
  const ports: readonly (readonly [HostPort, HostPort])[] = [
    [box.tenancy.proxyAddr, told.tenancy.proxyAddr],
    [box.bao.proxyAddr, told.bao.proxyAddr],
  ];
  return ({ kind, value }) => ({ kind, value: renamed(value, paths, ports) });
}

function renamed(
  value: string,
  paths: readonly (readonly [string, string])[],
  ports: readonly (readonly [HostPort, HostPort])[],
): string {
  const [, scheme = "", path = ""] = /^(unix:)?(\/.*)$/.exec(value) ?? [];
  for (const [from, to] of paths) {
    if (path === from || path.startsWith(`${from}/`)) {
      return `${scheme}${to}${path.slice(from.length)}`;
    }
  }
  for (const [from, to] of ports) {
    if (value.endsWith(`:${from.port}`)) return value.replace(`:${from.port}`, `:${to.port}`);
  }
  return value;
}

function zip(one: readonly string[], other: readonly string[]): (readonly [string, string])[] {
  return one.map((each, index) => [each, other[index] ?? each]);
}

/** The file, and the names beside it that it is replaced through. */
function metricsPairs(from: string, to: string): (readonly [string, string])[] {
  return from === "" ? [] : [[folderOf(from), folderOf(to)]];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
