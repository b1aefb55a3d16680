/**
 * The second pass of the policy (SPEC §4, §9): what compose made of the files, every key of it held
 * against what is allowed. Facts in, findings out.
 */

import type { Finding } from "./finding.ts";
import { config, secret, volume } from "./mount_rules.ts";
import { network } from "./network_rules.ts";
import type { ModelFacts } from "./model_facts.ts";
import { anything, keys, named, never, type Place, type Rule } from "./rule.ts";
import { service } from "./service_rules.ts";
import { isTree } from "./shape.ts";

/** Rules inside a service are named by the key alone, others by what they are about. */
const SECTIONS: Readonly<Record<string, readonly [string, Rule]>> = {
  services: ["", named(service)],
  networks: ["network", named(network)],
  volumes: ["volume", named(volume)],
  configs: ["config", named(config)],
  secrets: ["secret", named(secret)],
};

const TOP = keys({ name: anything, version: anything, models: never("models") });

/** Takes compose's resolved files as parsed JSON; gives every finding, allowed ones included. */
export function judgeModel(resolved: unknown, facts: ModelFacts): readonly Finding[] {
  const place = (key: string, rule: string): Place => ({ key, rule, facts });
  if (!isTree(resolved)) return TOP(resolved, place("compose", "compose"));
  return Object.entries(resolved).flatMap(([key, value]) => {
    const section = Object.hasOwn(SECTIONS, key) ? SECTIONS[key] : undefined;
    if (section !== undefined) return section[1](value, place(key, section[0]));
    return TOP({ [key]: value }, place("compose", "compose"));
  });
}
