/**
 * THE table of config keys (SPEC §6): path, kind and bounds, default, one line of documentation. It
 * makes the validator (parse.ts), packaging/config.example.yaml (example.ts) and the table of
 * docs/CONFIG.md (docs_table.ts); tests hold the three together. Order here is order there.
 */

import { derived, type Key, optional, preset, required } from "./key.ts";
import { decimal, flag, integer, type Kind, listOf, oneOf, textMatching } from "./kind.ts";
import { findingName } from "./kind_finding.ts";
import { baseUrl, hostName, hostPort, httpsUrl, ipv4Range } from "./kind_net.ts";
import { path, program, promFile, unixSocket } from "./kind_path.ts";
import { bundleKey } from "./kind_pem.ts";

const name = textMatching(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  "a-z 0-9 -",
  "1 to 63 characters of a-z, 0-9 and -, the first a letter or digit",
);
/** compose refuses any other project name (tests/cases/29-project-name). */
const project = textMatching(
  /^[a-z0-9][a-z0-9_-]{0,127}$/,
  "a-z 0-9 _ -",
  "1 to 128 characters of a-z, 0-9, _ and -, the first a letter or digit",
);
const service = textMatching(
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,98}$/,
  "ziti service",
  "a ziti service's name of at most 99 characters of A-Z, a-z, 0-9, ., _ and -",
);
const role = textMatching(
  /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/,
  "name",
  "at most 128 characters of A-Z, a-z, 0-9, ., _ and -",
);
const mount = textMatching(
  /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){0,7}$/,
  "path in OpenBao",
  "names of A-Z, a-z, 0-9, ., _ and - with / between them",
);
const registry = textMatching(
  /^[a-z0-9][a-z0-9.-]{0,252}(?::[0-9]{1,5})?(?:\/[a-z0-9._-]{1,128}){0,8}$/,
  "registry",
  "a registry's host, with port and path prefix if wanted, e.g. registry.example.com/monky",
);
const seconds = (min: number, max: number): Kind<number> => integer(min, max);
const port = integer(1, 65535);

/** Key path → row. */
export const KEYS = {
  env_id: required(name, {
    doc: "The environment that this box runs; tenancy and OpenBao know the box by it.",
    example: "env-qa-02",
  }),
  site: required(name, { doc: "Where the box stands; tenancy is told.", example: "cbs" }),
  transport: preset(oneOf("sdk", "proxy", "system"), "sdk", {
    doc: "How the mesh is reached: own bridge, local proxy ports, or a tunneler's intercepts.",
  }),
  identity: derived(path, "/opt/openziti/etc/identities/monky-host.<env_id>.json", {
    doc: "The box's ziti identity file; read with transport sdk.",
  }),
  bootstrap_file: preset(path, "/etc/monky-deployd/bootstrap.jwt", {
    doc: "The bootstrap grant that the install kit leaves; removed once it is used.",
  }),
  interval_s: preset(seconds(1, 86400), 60, {
    doc: "Seconds between two ticks of the command run, unless tenancy says otherwise.",
  }),
  laptop_mode: preset(flag, false, {
    doc: "Being offline is normal: a tick that reaches nobody exits 0 and says so once.",
  }),

  "tenancy.service": preset(service, "monky.tenancy.deploy", {
    doc: "The ziti service of tenancy's agent entrypoint (transport sdk).",
  }),
  "tenancy.host": derived(hostName, "<tenancy.service>", {
    doc: "The host of the Host header; dialled with transport system.",
  }),
  "tenancy.port": preset(port, 443, { doc: "The service's intercept port." }),
  "tenancy.scheme": preset(oneOf("http", "https"), "http", {
    doc: "The mesh encrypts already, so tenancy speaks plain http inside it.",
  }),
  "tenancy.base_url": derived(baseUrl, "<tenancy.scheme>://<tenancy.host>:<tenancy.port>", {
    doc: "Scheme, host and port in one; must not contradict the three keys above.",
  }),
  "tenancy.proxy_addr": preset(hostPort, "127.0.0.1:18443", {
    doc: "Where the local proxy listens for tenancy (transport proxy).",
  }),
  "tenancy.timeout_s": preset(seconds(1, 600), 30, { doc: "Limit for one exchange with tenancy." }),
  "tenancy.bundle_keys": preset(listOf(bundleKey, 16), [], {
    doc: "Keys that sign bundles, PEM or file paths. With one set, unsigned bundles are refused.",
    example: "[/etc/monky-deployd/bundle-keys.pem]",
  }),

  "bao.service": preset(service, "openbao", { doc: "OpenBao's ziti service (transport sdk)." }),
  "bao.addr": preset(httpsUrl, "https://bao.cbs.tikali.net:8200", {
    doc: "OpenBao's address; its host is the name that the certificate must carry.",
  }),
  "bao.proxy_addr": preset(hostPort, "127.0.0.1:18200", {
    doc: "Where the local proxy listens for OpenBao (transport proxy).",
  }),
  "bao.auth_mount": preset(mount, "jwt-tenancy", { doc: "The auth mount that takes grants." }),
  "bao.role": preset(role, "see-env", { doc: "The role to log in with." }),
  "bao.kv_mount": preset(mount, "monky", { doc: "The KV version 2 mount of the secrets." }),
  "bao.kv_prefix": preset(mount, "see", { doc: "The folder below env_id that secrets lie in." }),
  "bao.ca": optional(path, {
    doc: "A PEM file of CAs to trust for OpenBao besides the system's.",
    example: "/etc/monky-deployd/openbao-ca.pem",
  }),
  "bao.renew_below_s": preset(seconds(60, 82800), 21600, {
    doc: "A token with less than this left is renewed; tokens live 24 h.",
  }),
  "bao.timeout_s": preset(seconds(1, 600), 30, { doc: "Limit for one exchange with OpenBao." }),

  deploy_dir: derived(path, "<state_dir>/<env_id>", {
    doc: "Where bundles are unpacked and run; services may mount what is below it.",
  }),
  compose_project: derived(project, "monky-<env_id>", {
    doc: "The docker compose project's name.",
  }),
  state_dir: preset(path, "/var/lib/monky-deployd", {
    doc: "Where the agent keeps its state and its token; must not lie in deploy_dir.",
  }),

  "docker.compose": optional(path, {
    doc: "The compose plugin's file; when absent, docker's plugin folders are searched.",
    example: "/usr/libexec/docker/cli-plugins/docker-compose",
  }),
  "docker.host": preset(unixSocket, "unix:///var/run/docker.sock", {
    doc: "The Docker Engine's socket.",
  }),
  "docker.data_root": preset(path, "/var/lib/docker", {
    doc: "Where the Engine keeps images: free space is measured there before a pull.",
  }),
  "docker.disk_factor": preset(decimal(1, 10), 1.5, {
    doc: "Free space must exceed this many times the missing images' unpacked size …",
  }),
  "docker.disk_headroom_bytes": preset(integer(0, 2 ** 50), 2147483648, {
    doc: "… plus this much.",
  }),

  volumes_on_absent: preset(oneOf("keep", "remove"), "keep", {
    doc: "What becomes of the volumes when the environment is taken away.",
  }),
  on_failure: preset(oneOf("leave", "restore"), "leave", {
    doc: "After a failed apply: leave what runs, or bring the last good release back.",
  }),
  releases_kept: preset(integer(1, 100), 3, { doc: "Releases kept on disk, with their images." }),

  "timeouts.fetch_s": preset(seconds(1, 3600), 60, { doc: "Limit for fetching a bundle." }),
  "timeouts.secrets_s": preset(seconds(1, 3600), 60, { doc: "Limit for reading all secrets." }),
  "timeouts.validate_s": preset(seconds(1, 3600), 30, { doc: "Limit for compose config." }),
  "timeouts.pull_s": preset(seconds(1, 86400), 1800, { doc: "Limit for pulling the images." }),
  "timeouts.up_s": preset(seconds(1, 86400), 600, { doc: "Limit for compose up." }),
  "timeouts.down_s": preset(seconds(1, 86400), 300, { doc: "Limit for compose down." }),
  health_timeout_s: preset(seconds(1, 3600), 120, {
    doc: "Limit for every service to become healthy after compose up.",
  }),
  settle_s: preset(seconds(0, 600), 5, {
    doc: "How long a service without a healthcheck must run without a restart.",
  }),

  "system.ip_range": preset(ipv4Range, "100.64.0.0/10", {
    doc: "Where intercepted names resolve to; another address is refused (transport system).",
  }),
  "sdk.node": preset(program, "node", { doc: "Node, which runs the bridge (transport sdk)." }),
  "sdk.bridge": preset(path, "/usr/lib/monky-deployd/ziti-bridge/bridge.cjs", {
    doc: "The bridge to the mesh (transport sdk).",
  }),

  "policy.bind_allow": preset(listOf(path, 64), [], {
    doc: "Folders and files of the box that services may bind, besides the bundle's own files.",
    example: "[/srv/monky]",
  }),
  "policy.registries": preset(listOf(registry, 64), [], {
    doc: "When set, the registries that images may come from.",
    example: "[registry.example.com/monky]",
  }),
  "policy.require_digest": preset(flag, false, { doc: "Refuse images that name no digest." }),
  "policy.allow": preset(listOf(findingName, 64), [], {
    doc: "Findings of the policy that this box allows, by the names of docs/POLICY.md.",
    example: '["network_mode:host"]',
  }),

  metrics_textfile: optional(promFile, {
    doc: "A file for node_exporter's textfile collector, written after each tick.",
    example: "/var/lib/prometheus/node-exporter/monky-deployd.prom",
  }),
} as const satisfies Readonly<Record<string, Key<unknown>>>;

/** The path of a config key. */
export type KeyPath = keyof typeof KEYS;

/** Every key's value, in the spelling of the file. */
export type ConfigValues = {
  readonly [P in KeyPath]: (typeof KEYS)[P] extends Key<infer T> ? T : never;
};

/** The key paths, in the table's order. */
export const KEY_PATHS: readonly KeyPath[] = Object.keys(KEYS) as KeyPath[];

/** The names of the maps that hold keys: `tenancy`, `bao`, … */
export const SECTIONS: ReadonlySet<string> = new Set(
  KEY_PATHS.filter((key) => key.includes(".")).map((key) => key.slice(0, key.indexOf("."))),
);

/** Takes any text; says whether it is a key's path. */
export function isKeyPath(text: string): text is KeyPath {
  return Object.hasOwn(KEYS, text);
}
