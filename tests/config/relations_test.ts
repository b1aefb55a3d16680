import { assertEquals } from "@std/assert";
import { readConfig } from "../../src/config/parse.ts";
import { problemLine } from "../../src/config/problem.ts";

const OUTSIDE = "allowed: a path outside, since services may mount what is in it";
const NO_TOKEN = "would let services mount state_dir, which holds the agent's token; " +
  "allowed: a path that neither holds state_dir nor lies in it";

const RELATIONS: readonly (readonly [string, string, ...string[]])[] = [
  ["deploy_dir below state_dir is the default", "deploy_dir: /var/lib/monky-deployd/x"],
  [
    "state_dir is not deploy_dir",
    "state_dir: /data\ndeploy_dir: /data/",
    `state_dir: is deploy_dir itself; ${OUTSIDE}`,
  ],
  [
    "state_dir does not lie in deploy_dir",
    "state_dir: /data/state\ndeploy_dir: /data",
    `state_dir: lies in deploy_dir; ${OUTSIDE}`,
  ],
  ["a folder whose name only begins alike is another one", "state_dir: /data2\ndeploy_dir: /data"],
  [
    "identity and bootstrap_file do not lie in deploy_dir",
    "deploy_dir: /srv\nidentity: /srv/id.json\nbootstrap_file: /srv/b.jwt",
    `identity: lies in deploy_dir; ${OUTSIDE}`,
    `bootstrap_file: lies in deploy_dir; ${OUTSIDE}`,
  ],
  [
    "bind_allow does not hold state_dir",
    "policy: {bind_allow: [/srv, /var/lib]}",
    `policy.bind_allow[1]: ${NO_TOKEN}`,
  ],
  [
    "bind_allow does not lie in state_dir",
    "policy: {bind_allow: [/var/lib/monky-deployd/token]}",
    `policy.bind_allow[0]: ${NO_TOKEN}`,
  ],
  [
    "bind_allow may lie in deploy_dir",
    "policy: {bind_allow: [/var/lib/monky-deployd/env-qa-02/a]}",
  ],
  [
    "two remotes do not share a proxy port",
    "transport: proxy\nbao: {proxy_addr: '127.0.0.1:18443'}",
    "bao.proxy_addr: is 127.0.0.1:18443, which is tenancy.proxy_addr too; allowed: an address of its own",
  ],
  ["a shared proxy port does not matter elsewhere", "bao: {proxy_addr: '127.0.0.1:18443'}"],
  [
    "settle_s fits into health_timeout_s",
    "settle_s: 60\nhealth_timeout_s: 60",
    "settle_s: is 60, and after 60 (health_timeout_s) nobody waits any more; allowed: less than health_timeout_s",
  ],
  [
    "two ticks fit into the time in which a token is renewed",
    "interval_s: 10801",
    "interval_s: is 10801, and a token is renewed in its last 21600 s (bao.renew_below_s): " +
    "it could end between two ticks; allowed: at most half of bao.renew_below_s",
  ],
  ["the longest interval is half of that time", "interval_s: 10800"],
  ["an hour's interval fits a token's usual life", "interval_s: 3600\nbao: {renew_below_s: 7200}"],
  [
    "the agent's sockets fit below state_dir",
    `transport: system\nstate_dir: /${"s".repeat(83)}`,
    "state_dir: is too long for the agent's sockets below it; allowed: at most 83 bytes",
  ],
  ["a state_dir of 83 bytes is short enough", `state_dir: /${"s".repeat(82)}`],
];

for (const [what, text, ...lines] of RELATIONS) {
  Deno.test(what, () => {
    const reading = readConfig(`env_id: env-qa-02\nsite: cbs\n${text}\n`);
    assertEquals("problems" in reading ? reading.problems.map(problemLine) : [], lines);
  });
}
