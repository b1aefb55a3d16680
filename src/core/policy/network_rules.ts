/**
 * Networks and ports (SPEC §9): no network of the host under any name, none of its interfaces, and
 * no address that the agent itself speaks to.
 */

import type { FindingKind } from "../../model/finding_names.ts";
import { type Finding, finding } from "./finding.ts";
import { isPrivateSubnet, overlaps } from "./subnet.ts";
import { anything, each, keys, named, only, type Place, type Rule } from "./rule.ts";
import { childOf, isTree, textOf } from "./shape.ts";

/** Options of the bridge driver that stay between its own containers. */
const BRIDGE_OPTIONS: ReadonlySet<string> = new Set([
  "com.docker.network.driver.mtu",
  "com.docker.network.bridge.enable_icc",
  "com.docker.network.bridge.enable_ip_masquerade",
  "com.docker.network.bridge.host_binding_ipv4",
]);

const NETWORK_KEYS = keys({
  name: anything,
  external: anything,
  internal: anything,
  attachable: anything,
  enable_ipv4: anything,
  enable_ipv6: anything,
  labels: anything,
  // macvlan and ipvlan put containers onto the box's own network.
  driver: only("network_driver", (text) => text === "bridge" || text === "default"),
  driver_opts: (value, at) => options(value, at),
  ipam: keys({
    driver: only("ipam_driver", (text) => text === "default"),
    config: each(keys({
      subnet: (value, at) => subnet(value, at),
      ip_range: anything,
      gateway: anything,
      aux_addresses: anything,
    })),
  }),
});

function options(value: unknown, { key }: Place): readonly Finding[] {
  return Object.keys(isTree(value) ? value : {}).filter((name) => !BRIDGE_OPTIONS.has(name))
    .map((name) => finding("network_option", { value: name, key }));
}

/** A subnet is a route of the box: what it covers is sent to containers from then on. */
function subnet(value: unknown, { key, facts }: Place): readonly Finding[] {
  if (typeof value !== "string" || value === "") return [];
  if (isPrivateSubnet(value) && !overlaps(value, facts.meshRange)) return [];
  return [finding("subnet", { value, key, why: "would divert the box's own traffic" })];
}

/** Judges a top-level network. The name of the host's own one is what counts, not its key. */
export const network: Rule = (value, at) => {
  const known = NETWORK_KEYS(value, at);
  if (childOf(value, "name") !== "host") return known;
  return [...known, finding("network_mode", { value: "host", key: at.key })];
};

/** Judges how a service takes part in its networks. */
export const endpoints: Rule = named(keys({
  aliases: anything,
  ipv4_address: anything,
  ipv6_address: anything,
  link_local_ips: anything,
  mac_address: anything,
  priority: anything,
  gw_priority: anything,
  interface_name: anything,
}));

/** Judges a namespace key: `service:x` stays in the project, the words are the container's own. */
export function namespace(kind: FindingKind, ...words: readonly string[]): Rule {
  return only(kind, (text) => words.includes(text) || /^service:./.test(text));
}

const PORT_KEYS = keys({
  mode: anything,
  target: anything,
  published: anything,
  protocol: anything,
  host_ip: anything,
  app_protocol: anything,
  name: anything,
});

/** Judges a published port: where the agent dials its remotes, no service may answer. */
export const port: Rule = (value, at) => {
  const [first, last = first] = textOf(childOf(value, "published") ?? "").split("-").map(Number);
  const taken = at.facts.agentPorts.filter((each) =>
    first !== undefined && last !== undefined && each >= first && each <= last
  );
  const isTcp = (childOf(value, "protocol") ?? "tcp") === "tcp";
  const why = "the agent reaches its remotes there";
  return [
    ...PORT_KEYS(value, at),
    ...(isTcp ? taken : []).map((each) =>
      finding("port", { value: String(each), key: at.key, why })
    ),
  ];
};
