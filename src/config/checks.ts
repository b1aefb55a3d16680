/**
 * Rules between config keys. Each looks at settled values alone, so it says nothing about a key that
 * has a problem of its own. Defaults obey every rule.
 */

import type { HostPort } from "../model/config.ts";
import { byteLength, isWithin, MAX_SOCKET_PATH_BYTES } from "./kind_path.ts";
import { showHostPort } from "./kind_net.ts";
import type { ConfigProblem } from "./problem.ts";
import type { ConfigValues, KeyPath } from "./schema.ts";

/** Room for the longest socket name below state_dir: `/.run/tenancy.sock`, rounded up. */
const SOCKET_NAME_BYTES = 24;

/** Takes the settled values; gives what contradicts what. */
export function checkRelations(settled: ReadonlyMap<KeyPath, unknown>): readonly ConfigProblem[] {
  const get = <P extends KeyPath>(path: P): ConfigValues[P] | undefined =>
    settled.get(path) as ConfigValues[P] | undefined;
  return [
    ...checkFolders(get),
    ...checkProxy(get),
    ...checkTimes(get),
    ...checkSocketRoom(get),
  ];
}

type Get = <P extends KeyPath>(path: P) => ConfigValues[P] | undefined;

/** Services may mount deploy_dir and policy.bind_allow: neither may give them the token or the identity. */
function checkFolders(get: Get): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const deployDir = get("deploy_dir");
  const stateDir = get("state_dir");
  const secretive: readonly KeyPath[] = ["state_dir", "identity", "bootstrap_file"];
  for (const path of secretive) {
    const value = get(path);
    if (deployDir === undefined || typeof value !== "string" || !isWithin(value, deployDir)) {
      continue;
    }
    const wrong = value === deployDir ? "is deploy_dir itself" : "lies in deploy_dir";
    problems.push({
      path,
      wrong,
      allowed: "a path outside, since services may mount what is in it",
    });
  }
  for (const [index, allowed] of (get("policy.bind_allow") ?? []).entries()) {
    if (stateDir === undefined || !exposes(allowed, { stateDir, deployDir })) continue;
    problems.push({
      path: `policy.bind_allow[${index}]`,
      wrong: "would let services mount state_dir, which holds the agent's token",
      allowed: "a path that neither holds state_dir nor lies in it",
    });
  }
  return problems;
}

function exposes(
  allowed: string,
  { stateDir, deployDir }: { readonly stateDir: string; readonly deployDir: string | undefined },
): boolean {
  if (isWithin(stateDir, allowed)) return true;
  return isWithin(allowed, stateDir) && (deployDir === undefined || !isWithin(allowed, deployDir));
}

function checkProxy(get: Get): readonly ConfigProblem[] {
  const tenancy = get("tenancy.proxy_addr");
  const bao = get("bao.proxy_addr");
  if (get("transport") !== "proxy" || !tenancy || !bao || !isSame(tenancy, bao)) return [];
  const wrong = `is ${showHostPort(bao)}, which is tenancy.proxy_addr too`;
  return [{ path: "bao.proxy_addr", wrong, allowed: "an address of its own" }];
}

function isSame(one: HostPort, other: HostPort): boolean {
  return one.host === other.host && one.port === other.port;
}

function checkTimes(get: Get): readonly ConfigProblem[] {
  return [...checkSettle(get), ...checkRenewal(get)];
}

function checkSettle(get: Get): readonly ConfigProblem[] {
  const settleS = get("settle_s");
  const healthTimeoutS = get("health_timeout_s");
  if (settleS === undefined || healthTimeoutS === undefined || settleS < healthTimeoutS) return [];
  const wrong =
    `is ${settleS}, and after ${healthTimeoutS} (health_timeout_s) nobody waits any more`;
  return [{ path: "settle_s", wrong, allowed: "less than health_timeout_s" }];
}

/**
 * A token is renewed by a tick that finds less than renew_below_s left of it. With two ticks in that
 * time one may fail, and the box keeps its token.
 */
function checkRenewal(get: Get): readonly ConfigProblem[] {
  const intervalS = get("interval_s");
  const renewBelowS = get("bao.renew_below_s");
  if (intervalS === undefined || renewBelowS === undefined || intervalS * 2 <= renewBelowS) {
    return [];
  }
  const wrong =
    `is ${intervalS}, and a token is renewed in its last ${renewBelowS} s (bao.renew_below_s): ` +
    "it could end between two ticks";
  return [{ path: "interval_s", wrong, allowed: "at most half of bao.renew_below_s" }];
}

/** The agent's own unix sockets live below state_dir. */
function checkSocketRoom(get: Get): readonly ConfigProblem[] {
  const stateDir = get("state_dir");
  const max = MAX_SOCKET_PATH_BYTES - SOCKET_NAME_BYTES;
  if (stateDir === undefined || byteLength(stateDir) <= max) return [];
  const wrong = "is too long for the agent's sockets below it";
  return [{ path: "state_dir", wrong, allowed: `at most ${max} bytes` }];
}
