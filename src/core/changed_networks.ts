/**
 * Networks that exist with other options than the files ask for: composes before 2.32, and any with a
 * network that one of those made, leave them as they are without a word, so that `internal: true` is
 * not in force though the release counts as applied, and a fixed address of a new subnet fails with
 * its service stopped (measured on 2.26.1 and 2.40.3).
 */

import { AgentError } from "../errors.ts";
import { listProblems } from "../model/bundle_problems.ts";
import type { ComposeModel, NetworkResource } from "../model/compose_model.ts";
import type { LocalNetwork } from "../model/docker_networks.ts";
import { isSameSubnet } from "./policy/subnet.ts";
import { compareVersions } from "./versions.ts";

/**
 * From here on compose makes changed networks anew that it made itself; `-0`, for a package's version
 * is `2.32.0-4`.
 */
const RECREATES_FROM = "2.32.0-0";

/** What is known of the box. */
export interface NetworkFacts {
  /** Null: not known. */
  readonly composeVersion: string | null;
  /** The project's networks. */
  readonly networks: readonly LocalNetwork[];
}

/** Takes the resolved files and the facts; gives NAME_CONFLICT with every difference, or null. */
export function refuseChangedNetworks(
  model: ComposeModel,
  { composeVersion, networks }: NetworkFacts,
): AgentError | null {
  const recreates = composeVersion === null ||
    compareVersions(composeVersion, RECREATES_FROM) >= 0;
  const made = new Map(
    networks.filter((each) => !(recreates && each.hashed)).map((each) => [each.name, each]),
  );
  const problems = model.networks.filter((each) => !each.external).flatMap((wanted) => {
    const found = made.get(wanted.name);
    const changes = found === undefined ? [] : changesOf(wanted, found);
    return changes.length === 0
      ? []
      : [`network ${wanted.key} exists with other options (${changes.join(", ")})`];
  });
  if (problems.length === 0) return null;
  const compose = ["docker compose", ...composeVersion === null ? [] : [composeVersion]].join(" ");
  const message = `${listProblems(problems)}; ${compose} leaves what is there as it is`;
  return new AgentError("NAME_CONFLICT", message, {
    hint: "Give the network another key or name in docker-compose.yml, and publish again: " +
      "it is made anew under that.",
  });
}

/** The keys that differ. What the file leaves to the Engine, or the Engine does not tell, is equal. */
function changesOf(wanted: NetworkResource, found: LocalNetwork): readonly string[] {
  const { internal, ipv6, subnets, options } = wanted;
  const isElsewhere = (subnet: string): boolean =>
    !found.subnets.some((each) => isSameSubnet(each, subnet));
  return [
    ...found.internal !== null && found.internal !== internal ? ["internal"] : [],
    ...ipv6 !== null && found.ipv6 !== null && found.ipv6 !== ipv6 ? ["enable_ipv6"] : [],
    ...found.subnets.length > 0 && subnets.some(isElsewhere) ? ["subnet"] : [],
    ...Object.entries(options).filter(([name, value]) => found.options[name] !== value)
      .map(([name]) => name),
  ];
}
