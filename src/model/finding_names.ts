/**
 * Every kind of finding of the policy (SPEC §9), and whether a value follows it: `privileged`,
 * `cap_add:SYS_ADMIN`. The names are API, since they stand in `policy.allow`: never rename one.
 */

/** Kind → `alone`, or `valued` when `:value` follows. */
export const FINDING_KINDS = {
  bind: "valued",
  bind_missing: "valued",
  bind_propagation: "valued",
  blkio_device: "valued",
  build: "alone",
  cap_add: "valued",
  cgroup: "valued",
  cgroup_parent: "valued",
  "configs.file": "valued",
  credential_spec: "alone",
  develop: "alone",
  device: "valued",
  device_cgroup_rules: "alone",
  device_reservations: "alone",
  digest: "valued",
  docker_data_root: "alone",
  docker_socket: "alone",
  env_file: "valued",
  "extends.file": "valued",
  external_links: "alone",
  gpus: "alone",
  image: "valued",
  include: "valued",
  "include.env_file": "alone",
  "include.project_directory": "valued",
  ipam_driver: "valued",
  ipc: "valued",
  isolation: "valued",
  key: "valued",
  label_file: "valued",
  logging_driver: "valued",
  models: "alone",
  network_driver: "valued",
  network_mode: "valued",
  network_option: "valued",
  oom_kill_disable: "alone",
  oom_score_adj: "valued",
  pid: "valued",
  port: "valued",
  privileged: "alone",
  provider: "alone",
  runtime: "valued",
  "secrets.file": "valued",
  security_opt: "valued",
  service: "alone",
  subnet: "valued",
  sysctl: "valued",
  use_api_socket: "alone",
  userns_mode: "valued",
  uts: "valued",
  volume_driver: "valued",
  volume_option: "valued",
  volume_type: "valued",
  volumes_from: "valued",
  writable: "valued",
} as const satisfies Readonly<Record<string, "alone" | "valued">>;

/** A kind of finding. */
export type FindingKind = keyof typeof FINDING_KINDS;

/** The kinds, sorted. */
export const FINDING_KIND_NAMES: readonly FindingKind[] = Object.keys(
  FINDING_KINDS,
) as FindingKind[];

/** Takes any text; says whether it is a kind. */
export function isFindingKind(text: string): text is FindingKind {
  return Object.hasOwn(FINDING_KINDS, text);
}
