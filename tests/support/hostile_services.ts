/**
 * Compose files that ask for too much of the box, and the names of their findings on what the real
 * compose makes of them (second pass). The name of each is its line.
 */

/** A compose file and its findings. */
export interface HostileService {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly findings: readonly string[];
}

/** Lines of a service `web`, and what is denied. */
const LINES: readonly (readonly [string, ...string[]])[] = [
  ["privileged: true", "privileged"],
  ["network_mode: host", "network_mode:host"],
  ['network_mode: "container:db"', "network_mode:container:db"],
  ["network_mode: bridge2", "network_mode:bridge2"],
  ["pid: host", "pid:host"],
  ['pid: "container:db"', "pid:container:db"],
  ["ipc: host", "ipc:host"],
  ["uts: host", "uts:host"],
  ["userns_mode: host", "userns_mode:host"],
  ["cgroup: host", "cgroup:host"],
  ["cgroup_parent: /system.slice", "cgroup_parent:/system.slice"],
  ['volumes_from: ["container:db"]', "volumes_from:container:db"],
  ["external_links: [db]", "external_links"],
  [
    'volumes: ["/:/host", "../../x:/x"]',
    "docker_socket",
    "docker_data_root",
    "bind:/",
    "bind_missing:$D/x",
  ],
  ['volumes: ["/var/run/docker.sock:/s"]', "docker_socket"],
  ['volumes: ["/run/docker.sock:/s:ro"]', "docker_socket"],
  ['volumes: ["/var/run:/s"]', "docker_socket", "bind:/var/run"],
  ['volumes: ["/etc/passwd:/p:ro"]', "bind:/etc/passwd"],
  ['volumes: ["~/.ssh:/p"]', "bind:$H/.ssh"],
  ['volumes: ["../other/x:/p"]', "bind:$D/releases/other/x"],
  ['volumes: ["./.env:/p"]', "bind_missing:$R/.env"],
  ['volumes: ["./absent:/p"]', "bind_missing:absent"],
  ["volumes: [{type: bind, source: ./absent, target: /p}]", "bind_missing:absent"],
  ["volumes: [{type: bind, source: /dev, target: /p, read_only: true}]", "bind:/dev"],
  [
    "volumes: [{type: bind, source: ./conf, target: /p, bind: {propagation: shared}}]",
    "bind_propagation:shared",
  ],
  ["cap_add: [SYS_ADMIN, NET_ADMIN]", "cap_add:SYS_ADMIN", "cap_add:NET_ADMIN"],
  ["cap_add: [ALL]", "cap_add:ALL"],
  ["cap_add: [cap_sys_ptrace]", "cap_add:SYS_PTRACE"],
  ['devices: ["/dev/kmsg:/dev/kmsg"]', "device:/dev/kmsg"],
  ['device_cgroup_rules: ["c 1:3 mr"]', "device_cgroup_rules"],
  [
    "deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}",
    "device_reservations",
  ],
  ["gpus: all", "gpus"],
  [
    'blkio_config: {device_write_bps: [{path: /dev/sda, rate: "1mb"}]}',
    "blkio_device:/dev/sda",
  ],
  ['security_opt: ["seccomp=unconfined"]', "security_opt:seccomp=unconfined"],
  ['security_opt: ["apparmor:unconfined"]', "security_opt:apparmor:unconfined"],
  ["security_opt: [label:disable]", "security_opt:label:disable"],
  ["security_opt: [systempaths=unconfined]", "security_opt:systempaths=unconfined"],
  ["security_opt: [no-new-privileges:false]", "security_opt:no-new-privileges:false"],
  ["sysctls: {kernel.msgmax: 1}", "sysctl:kernel.msgmax"],
  ["sysctls: [fs.mqueue.msg_max=5]", "sysctl:fs.mqueue.msg_max"],
  ["runtime: nvidia", "runtime:nvidia"],
  ["oom_score_adj: -900", "oom_score_adj:-900"],
  ["oom_kill_disable: true", "oom_kill_disable"],
  ["logging: {driver: syslog}", "logging_driver:syslog"],
  ["isolation: hyperv", "isolation:hyperv"],
  ["annotations: {a: b}", "key:annotations"],
  ["cpu_rt_runtime: 95000", "key:cpu_rt_runtime"],
  ["post_start: [{command: x, privileged: true}]", "privileged"],
  ["pre_stop: [{command: x, privileged: true}]", "privileged"],
  ["credential_spec: {file: cs.json}", "credential_spec"],
  ["develop: {watch: [{path: ./conf, action: sync, target: /a}]}", "develop"],
  ["build: .", "build"],
  ["networks: {default: {driver_opts: {a: b}}}", "key:networks.driver_opts"],
  ['ports: ["18443:80"]', "port:18443"],
];

/** What stands beside a harmless service that uses it. */
const BESIDE: readonly (readonly [line: string, beside: string, ...findings: string[]])[] = [
  ["networks: [n]", "networks: {n: {external: true, name: host}}", "network_mode:host"],
  ["networks: [n]", "networks: {n: {external: {name: host}}}", "network_mode:host"],
  ["networks: [host]", "networks: {host: {external: true}}", "network_mode:host"],
  ["networks: [n]", "networks: {n: {driver: macvlan}}", "network_driver:macvlan"],
  [
    "networks: [n]",
    "networks: {n: {driver_opts: {com.docker.network.bridge.name: br0}}}",
    "network_option:com.docker.network.bridge.name",
  ],
  [
    "networks: [n]",
    "networks: {n: {ipam: {config: [{subnet: 100.100.0.0/16}]}}}",
    "subnet:100.100.0.0/16",
  ],
  [
    'volumes: ["vol:/v"]',
    "volumes: {vol: {driver_opts: {type: none, o: bind, device: /etc}}}",
    "bind:/etc",
  ],
  [
    'volumes: ["vol:/v"]',
    "volumes: {vol: {driver: local, driver_opts: {type: none, o: bind, device: ../../../x}}}",
    "bind:$P/x",
  ],
  [
    'volumes: ["vol:/v"]',
    'volumes: {vol: {driver_opts: {type: none, o: "bind,ro", device: ./a}}}',
    "bind:./a",
  ],
  [
    'volumes: ["vol:/v"]',
    'volumes: {vol: {driver_opts: {type: nfs, o: "addr=10.0.0.1", device: ":/"}}}',
    "volume_type:nfs",
  ],
  ['volumes: ["vol:/v"]', "volumes: {vol: {driver: sshfs}}", "volume_driver:sshfs"],
  ["secrets: [s]", "secrets: {s: {file: /etc/shadow}}", "secrets.file:/etc/shadow"],
  ["configs: [c]", "configs: {c: {file: ./absent}}", "bind_missing:absent"],
];

const web = (line: string): string => `services:\n  web:\n    image: lab/bb:1\n    ${line}\n`;

/** The table. `$R` is the release's folder, `$D` deploy_dir, `$P` the folder above, `$H` HOME. */
export const HOSTILE_SERVICES: readonly HostileService[] = [
  ...LINES.map(([line, ...findings]) => ({
    name: line,
    files: { "docker-compose.yml": web(line), "conf/a": "" },
    findings,
  })),
  ...BESIDE.map(([line, beside, ...findings]) => ({
    name: beside,
    files: { "docker-compose.yml": `${web(line)}${beside}\n` },
    findings,
  })),
  {
    name: "a value that only a variable's default brings",
    files: { "docker-compose.yml": web('network_mode: "${MODE:-host}"') },
    findings: ["network_mode:host"],
  },
  {
    name: "an included and an extended file",
    files: {
      "docker-compose.yml":
        "include: [a/a.yml]\nservices: {web: {extends: {file: b.yml, service: x}}}\n",
      "a/a.yml": 'services: {a: {image: x, volumes: ["/etc:/e"]}}\n',
      "b.yml": "services: {x: {image: x, privileged: true}}\n",
    },
    findings: ["bind:/etc", "privileged"],
  },
  {
    name: "a merge key",
    files: {
      "docker-compose.yml": "x-p: &p {privileged: true}\nservices: {web: {<<: *p, image: x}}\n",
    },
    findings: ["privileged"],
  },
];
