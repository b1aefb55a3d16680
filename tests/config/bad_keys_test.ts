import { assertEquals } from "@std/assert";
import { readConfig } from "../../src/config/parse.ts";
import { problemLine } from "../../src/config/problem.ts";

const BASE = "env_id: env-qa-02\nsite: cbs\n";

function linesOf(text: string): readonly string[] {
  const reading = readConfig(text);
  return "problems" in reading ? reading.problems.map(problemLine) : [];
}

const PATH = "an absolute path other than /, without .. and commas";
const URL_ALLOWED = "http://HOST[:PORT] or https://HOST[:PORT], without user, path or query";
const HTTPS = "https://HOST[:PORT], without user, path or query";

/** What follows BASE in the file → the lines that are printed. */
const BAD: readonly (readonly [string, ...string[]])[] = [
  ["transport: tls", 'transport: "tls" is unknown; allowed: sdk, proxy, system'],
  ["transport: 5", "transport: found a number; allowed: sdk, proxy, system"],
  ["identity: a.json", `identity: "a.json" is not absolute; allowed: ${PATH}`],
  ["identity: /a/../b", `identity: "/a/../b" has a .. part; allowed: ${PATH}`],
  ["identity: '/a,b'", `identity: has a comma or a control character; allowed: ${PATH}`],
  ['identity: "/a\\nb"', `identity: has a comma or a control character; allowed: ${PATH}`],
  ['identity: "/\\ud800"', `identity: is no valid Unicode; allowed: ${PATH}`],
  [`identity: /${"x".repeat(1024)}`, `identity: is longer than 1024 bytes; allowed: ${PATH}`],
  ["bootstrap_file: ''", `bootstrap_file: is empty; allowed: ${PATH}`],
  ["bootstrap_file:", `bootstrap_file: found nothing; allowed: ${PATH}`],
  ["interval_s: 0", "interval_s: 0 is out of range; allowed: a whole number from 1 to 86400"],
  ["interval_s: 1.5", "interval_s: 1.5 is not whole; allowed: a whole number from 1 to 86400"],
  ["interval_s: '60'", "interval_s: found text; allowed: a whole number from 1 to 86400"],
  ["interval_s: .nan", "interval_s: NaN is not whole; allowed: a whole number from 1 to 86400"],
  ["interval_s: [1]", "interval_s: found a list; allowed: a whole number from 1 to 86400"],
  ["laptop_mode: yes", "laptop_mode: found text; allowed: true or false"],
  ["laptop_mode: 1", "laptop_mode: found a number; allowed: true or false"],
  ["tenancy: http://x", "tenancy: found text; allowed: a map of keys"],
  ["tenancy: [port]", "tenancy: found a list; allowed: a map of keys"],
  ["tenancy: {prot: 1}", "tenancy.prot: unknown key; the nearest known one is tenancy.port"],
  ["port: 443", "port: unknown key; the nearest known one is tenancy.port"],
  ["tenacy: {port: 1}", "tenacy: unknown key; the nearest known one is tenancy"],
  ["interval: 5", "interval: unknown key; the nearest known one is interval_s"],
  ["tenancy.port: 443", "tenancy.port: is written with a dot; write port below tenancy"],
  ["<<: {site: x}", '"<<": merge keys are not read; repeat the keys'],
  ['"a\\nb": 1', '"a\\nb": unknown key; docs/CONFIG.md lists them all'],
  ["__proto__: 1", "__proto__: unknown key; docs/CONFIG.md lists them all"],
  [
    "tenancy: {service: a b}",
    'tenancy.service: "a b" does not fit; allowed: ' +
    "a ziti service's name of at most 99 characters of A-Z, a-z, 0-9, ., _ and -",
  ],
  [
    "tenancy: {service: a-.b}",
    'tenancy.host: has no usable default here: "a-.b" is no host name; ' +
    "allowed: a host name or an IPv4 address",
  ],
  [
    "tenancy: {host: 127.0.1}",
    'tenancy.host: "127.0.1" is no host name; allowed: a host name or an IPv4 address',
  ],
  [
    "tenancy: {port: 65536}",
    "tenancy.port: 65536 is out of range; allowed: a whole number from 1 to 65535",
  ],
  ["tenancy: {scheme: ftp}", 'tenancy.scheme: "ftp" is unknown; allowed: http, https'],
  [
    "tenancy: {base_url: 'http://h/x'}",
    `tenancy.base_url: is no such URL; allowed: ${URL_ALLOWED}`,
  ],
  [
    "tenancy: {base_url: 'http://u:pw@h'}",
    `tenancy.base_url: is no such URL; allowed: ${URL_ALLOWED}`,
  ],
  [
    "tenancy: {base_url: 'http://h:0'}",
    `tenancy.base_url: is no such URL; allowed: ${URL_ALLOWED}`,
  ],
  [
    "tenancy: {base_url: 'http://h?t=1'}",
    `tenancy.base_url: is no such URL; allowed: ${URL_ALLOWED}`,
  ],
  [
    "tenancy: {base_url: 'http://a:443', host: b, port: 444, scheme: https}",
    "tenancy.base_url: says http, but tenancy.scheme says https; allowed: the same in both, or one alone",
    "tenancy.base_url: says a, but tenancy.host says b; allowed: the same in both, or one alone",
    "tenancy.base_url: says 443, but tenancy.port says 444; allowed: the same in both, or one alone",
  ],
  [
    "tenancy: {proxy_addr: '127.0.0.1'}",
    'tenancy.proxy_addr: "127.0.0.1" is no host and port; allowed: HOST:PORT, e.g. 127.0.0.1:18443',
  ],
  [
    "tenancy: {proxy_addr: '::1:18443'}",
    'tenancy.proxy_addr: "::1:18443" is no host and port; allowed: HOST:PORT, e.g. 127.0.0.1:18443',
  ],
  [
    "bao: {addr: 'http://bao:8200'}",
    "bao.addr: is http, over which the agent's token and every secret could be read; " +
    `allowed: ${HTTPS}`,
  ],
  ["bao: {addr: 'https://u:p@bao'}", `bao.addr: is no such URL; allowed: ${HTTPS}`],
  ["bao: {addr: 'https://bao/v1'}", `bao.addr: is no such URL; allowed: ${HTTPS}`],
  ["bao: {addr: bao:8200}", `bao.addr: is no such URL; allowed: ${HTTPS}`],
  [
    "bao: {kv_mount: ../x}",
    'bao.kv_mount: "../x" does not fit; allowed: names of A-Z, a-z, 0-9, ., _ and - with / between them',
  ],
  ["bao: {ca: openbao.pem}", `bao.ca: "openbao.pem" is not absolute; allowed: ${PATH}`],
  [
    "bao: {renew_below_s: 86400}",
    "bao.renew_below_s: 86400 is out of range; allowed: a whole number from 60 to 82800",
  ],
  ["deploy_dir: /", `deploy_dir: is the root of the box; allowed: ${PATH}`],
  [
    "docker: {host: 'tcp://127.0.0.1:2375'}",
    "docker.host: is no unix:// URL, and the agent speaks to the Engine of this box alone; " +
    "allowed: unix:// and the absolute path of a socket, e.g. unix:///var/run/docker.sock",
  ],
  [
    "docker: {host: 'unix://docker.sock'}",
    'docker.host: "docker.sock" is not absolute; ' +
    "allowed: unix:// and the absolute path of a socket, e.g. unix:///var/run/docker.sock",
  ],
  [
    `docker: {host: 'unix:///${"s".repeat(107)}'}`,
    "docker.host: is longer than the 107 bytes of a socket's path; " +
    "allowed: unix:// and the absolute path of a socket, e.g. unix:///var/run/docker.sock",
  ],
  [
    "docker: {disk_factor: 0.5}",
    "docker.disk_factor: 0.5 is out of range; allowed: a number from 1 to 10",
  ],
  [
    "docker: {disk_factor: .inf}",
    "docker.disk_factor: Infinity is out of range; allowed: a number from 1 to 10",
  ],
  ["volumes_on_absent: Keep", 'volumes_on_absent: "Keep" is unknown; allowed: keep, remove'],
  ["on_failure: null", "on_failure: found nothing; allowed: leave, restore"],
  [
    "system: {ip_range: 0.0.0.0/0}",
    'system.ip_range: "0.0.0.0/0" is no such network; allowed: an IPv4 network from /8 to /32, e.g. 100.64.0.0/10',
  ],
  [
    "system: {ip_range: 100.64.0.1/10}",
    'system.ip_range: "100.64.0.1/10" has bits set behind the prefix; allowed: an IPv4 network from /8 to /32, e.g. 100.64.0.0/10',
  ],
  [
    "sdk: {node: 'node --inspect'}",
    'sdk.node: "node --inspect" is not absolute; allowed: an absolute path, or the bare name of a program on PATH',
  ],
  [
    "policy: {bind_allow: /srv}",
    `policy.bind_allow: found text; allowed: a list of at most 64 items, each ${PATH}`,
  ],
  [
    "policy: {bind_allow: [/srv, srv, 5]}",
    `policy.bind_allow[1]: "srv" is not absolute; allowed: ${PATH}`,
    `policy.bind_allow[2]: found a number; allowed: ${PATH}`,
  ],
  [
    `policy: {bind_allow: [${"/a, ".repeat(65)}]}`,
    `policy.bind_allow: has 65 items; allowed: a list of at most 64 items, each ${PATH}`,
  ],
  [
    "policy: {registries: ['https://r.example.com']}",
    'policy.registries[0]: "https://r.example.com" does not fit; allowed: ' +
    "a registry's host, with port and path prefix if wanted, e.g. registry.example.com/monky",
  ],
  [
    "policy: {allow: [Privileged]}",
    'policy.allow[0]: "Privileged" is no finding; the nearest kind is privileged' +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    "policy: {allow: [priviledged]}",
    'policy.allow[0]: "priviledged" is no finding; the nearest kind is privileged' +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    'policy: {allow: ["net_mode:host"]}',
    'policy.allow[0]: "net_mode:host" is no finding; the nearest kind is network_mode' +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    'policy: {allow: ["cap-add:SYS_ADMIN"]}',
    'policy.allow[0]: "cap-add:SYS_ADMIN" is no finding; the nearest kind is cap_add' +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    'policy: {allow: ["privileged:true"]}',
    'policy.allow[0]: privileged stands alone, without ":true"' +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    "policy: {allow: [cap_add]}",
    "policy.allow[0]: cap_add needs what it is about, as in cap_add:NAME" +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    'policy: {allow: ["bind_missing:/x"]}',
    "policy.allow[0]: bind_missing cannot be allowed: the file is not there, whoever agrees" +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    'policy: {allow: ["bind:/a b"]}',
    'policy.allow[0]: "bind:/a b" does not fit' +
    "; allowed: the name of a finding as POLICY_DENIED prints it, e.g. network_mode:host",
  ],
  [
    "metrics_textfile: /var/lib/m.txt",
    'metrics_textfile: "/var/lib/m.txt" does not end with .prom; allowed: ' +
    "an absolute path that ends with .prom, since node_exporter reads no other file",
  ],
  [
    "metrics_textfile: /m.prom",
    'metrics_textfile: "/m.prom" lies in no folder; allowed: ' +
    "an absolute path that ends with .prom, since node_exporter reads no other file",
  ],
];

for (const [text, ...lines] of BAD) {
  Deno.test(`a config with ${JSON.stringify(text).slice(0, 60)} says what is wrong`, () => {
    assertEquals(linesOf(BASE + text), lines);
  });
}
