import { assertEquals } from "@std/assert";
import { bind, judged, ROOT, web } from "./resolved.ts";

type Row = readonly [key: string, value: unknown, ...findings: readonly string[]];

/** Keys of a service, as compose prints them. */
const DENIED: readonly Row[] = [
  ["privileged", true, "privileged"],
  ["network_mode", "host", "network_mode:host"],
  ["network_mode", "container:db", "network_mode:container:db"],
  ["network_mode", "other_default", "network_mode:other_default"],
  ["pid", "host", "pid:host"],
  ["pid", "container:db", "pid:container:db"],
  ["ipc", "host", "ipc:host"],
  ["ipc", "container:db", "ipc:container:db"],
  ["uts", "host", "uts:host"],
  ["userns_mode", "host", "userns_mode:host"],
  ["cgroup", "host", "cgroup:host"],
  ["cgroup_parent", "/x y", "cgroup_parent:/x%20y"],
  ["volumes_from", ["container:db:ro"], "volumes_from:container:db:ro"],
  ["external_links", ["db"], "external_links"],
  ["cap_add", ["SYS_ADMIN", "cap_net_admin"], "cap_add:SYS_ADMIN", "cap_add:NET_ADMIN"],
  ["cap_add", ["ALL"], "cap_add:ALL"],
  ["cap_add", ["NET_RAW", "MKNOD"], "cap_add:NET_RAW", "cap_add:MKNOD"],
  ["cap_add", "ALL", "key:cap_add"],
  ["devices", [{ source: "/dev/kmsg", target: "/dev/x" }], "device:/dev/kmsg"],
  ["devices", ["/dev/fuse:/dev/fuse:rwm"], "device:/dev/fuse"],
  ["devices", ["vendor.com/class=gpu"], "device:vendor.com/class=gpu"],
  ["device_cgroup_rules", ["a *:* rwm"], "device_cgroup_rules"],
  ["gpus", [{ count: -1 }], "gpus"],
  [
    "deploy",
    { resources: { reservations: { devices: [{ capabilities: ["gpu"] }] } } },
    "device_reservations",
  ],
  [
    "deploy",
    { resources: { reservations: { generic_resources: [1] } } },
    "key:deploy.resources.reservations.generic_resources",
  ],
  ["blkio_config", { weight: 5, device_read_bps: [{ Path: "/dev/sda" }] }, "blkio_device:/dev/sda"],
  ["blkio_config", { weight_device: [{ path: "/dev/sdb" }] }, "blkio_device:/dev/sdb"],
  ["security_opt", ["seccomp=unconfined"], "security_opt:seccomp=unconfined"],
  ["security_opt", ["seccomp:./p.json"], "security_opt:seccomp:./p.json"],
  ["security_opt", ["apparmor:unconfined"], "security_opt:apparmor:unconfined"],
  ["security_opt", ["label=disable"], "security_opt:label=disable"],
  ["security_opt", ["systempaths=unconfined"], "security_opt:systempaths=unconfined"],
  ["security_opt", ["no-new-privileges:false"], "security_opt:no-new-privileges:false"],
  ["security_opt", ["no-new-privileges:true,x"], "security_opt:no-new-privileges:true%2Cx"],
  ["sysctls", { "kernel.shmmax": "1", "net.x": "1" }, "sysctl:kernel.shmmax"],
  ["sysctls", ["fs.mqueue.msg_max=1"], "sysctl:fs.mqueue.msg_max"],
  ["sysctls", { "network.x": 1 }, "sysctl:network.x"],
  ["runtime", "nvidia", "runtime:nvidia"],
  ["oom_score_adj", -1000, "oom_score_adj:-1000"],
  ["oom_score_adj", "-5", "oom_score_adj:-5"],
  ["oom_kill_disable", true, "oom_kill_disable"],
  ["logging", { driver: "syslog", options: {} }, "logging_driver:syslog"],
  ["isolation", "hyperv", "isolation:hyperv"],
  ["post_start", [{ command: ["x"], privileged: true }], "privileged"],
  ["pre_stop", [{ command: ["x"], privileged: true }], "privileged"],
  ["pre_stop", [{ shell: "x" }], "key:pre_stop.shell"],
  ["build", { context: "/" }, "build"],
  ["develop", { watch: [{}] }, "develop"],
  ["provider", { type: "sh" }, "provider"],
  ["models", { m: null }, "models"],
  ["use_api_socket", true, "use_api_socket"],
  ["credential_spec", { file: "x" }, "credential_spec"],
  ["annotations", { a: "b" }, "key:annotations"],
  ["cpu_rt_runtime", 95000, "key:cpu_rt_runtime"],
  ["storage_opt", { size: "1G", x: "y" }, "key:storage_opt.x"],
  ["tomorrows_key", null, "key:tomorrows_key"],
  ["__proto__", {}, "key:__proto__"],
  ["constructor", {}, "key:constructor"],
  ["healthcheck", { test: ["NONE"], run_on_host: true }, "key:healthcheck.run_on_host"],
  ["networks", { default: { driver_opts: { a: "b" } } }, "key:networks.driver_opts"],
  ["networks", ["default"], "key:networks"],
  ["depends_on", ["db"], "key:depends_on"],
  ["ports", [{ target: 1, published: "18443" }], "port:18443"],
  ["ports", [{ target: 1, published: "18000-19000" }], "port:18443"],
  ["ports", [{ target: 1, published: 1, privileged: true }], "key:ports.privileged"],
  ["ports", ["80:80"], "key:ports"],
  ["volumes", [{ type: "npipe", source: "x", target: "/x" }], "volume_type:npipe"],
  ["volumes", [{ type: "image", source: "x", target: "/x" }], "volume_type:image"],
  ["volumes", [{ source: "/etc", target: "/x" }], "key:volumes"],
  ["volumes", ["/etc:/etc"], "key:volumes"],
  [
    "volumes",
    [bind(`${ROOT}/a`, { bind: { propagation: "rshared" } })],
    "bind_propagation:rshared",
  ],
  ["volumes", [bind(`${ROOT}/a`, { bind: { x: 1 } })], "key:volumes.bind.x"],
  ["volumes", [{ type: "volume", target: "/x", volume: { y: 1 } }], "key:volumes.volume.y"],
  ["secrets", [{ source: "s", file: "/x" }], "key:secrets.file"],
];

for (const [key, value, ...findings] of DENIED) {
  Deno.test(`denied: ${key}: ${JSON.stringify(value)}`, () => {
    const service: Record<string, unknown> = { image: "x" };
    Object.defineProperty(service, key, { value, enumerable: true });
    assertEquals(judged({ name: "p", services: { web: service } }), findings);
  });
}

/** Top-level keys beside one plain service. */
const DENIED_TOP: readonly Row[] = [
  ["networks", { n: { name: "host", external: true } }, "network_mode:host"],
  ["networks", { n: { name: "host" } }, "network_mode:host"],
  ["networks", { n: { driver: "macvlan" } }, "network_driver:macvlan"],
  ["networks", { n: { driver: "host" } }, "network_driver:host"],
  [
    "networks",
    { n: { driver_opts: { "com.docker.network.bridge.name": "docker0" } } },
    "network_option:com.docker.network.bridge.name",
  ],
  ["networks", { n: { driver_opts: { parent: "eth0" } } }, "network_option:parent"],
  ["networks", { n: { ipam: { driver: "dhcp" } } }, "ipam_driver:dhcp"],
  ["networks", { n: { ipam: { options: {} } } }, "key:network.ipam.options"],
  ["networks", { n: { ipam: { config: [{ subnet: "8.8.8.0/24" }] } } }, "subnet:8.8.8.0/24"],
  ["networks", { n: { ipam: { config: [{ subnet: "100.64.0.0/16" }] } } }, "subnet:100.64.0.0/16"],
  ["networks", { n: { ipam: { config: [{ subnet: "0.0.0.0/0" }] } } }, "subnet:0.0.0.0/0"],
  ["networks", { n: { ipam: { config: [{ subnet: "2001:db8::/64" }] } } }, "subnet:2001:db8::/64"],
  ["networks", { n: { scope: "swarm" } }, "key:network.scope"],
  ["networks", [], "key:network"],
  ["volumes", { v: { driver: "rexray" } }, "volume_driver:rexray"],
  [
    "volumes",
    { v: { driver_opts: { type: "nfs", o: "addr=1.2.3.4", device: ":/" } } },
    "volume_type:nfs",
  ],
  ["volumes", { v: { driver_opts: { type: "ext4", device: "/dev/sda1" } } }, "volume_type:ext4"],
  ["volumes", { v: { driver_opts: { device: "/dev/sda1" } } }, "volume_type:"],
  [
    "volumes",
    { v: { driver_opts: { type: "overlay", o: "lowerdir=/etc,upperdir=/a", device: "overlay" } } },
    "volume_type:overlay",
  ],
  ["volumes", { v: { driver_opts: { type: "none", o: "bind", device: "/etc" } } }, "bind:/etc"],
  ["volumes", { v: { driver_opts: { o: "ro,rbind", device: "/etc" } } }, "bind:/etc"],
  ["volumes", { v: { driver_opts: { type: "bind", device: "/etc" } } }, "bind:/etc"],
  [
    "volumes",
    { v: { driver_opts: { type: "tmpfs", o: "bind", device: "/etc" } } },
    "volume_type:tmpfs",
    "bind:/etc",
  ],
  [
    "volumes",
    { v: { driver_opts: { type: "none", o: "bind,rshared", device: `${ROOT}/a` } } },
    "volume_option:rshared",
  ],
  [
    "volumes",
    { v: { driver_opts: { type: "none", o: "bind", device: "/var/run/docker.sock" } } },
    "docker_socket",
  ],
  ["volumes", { v: { driver_opts: { mount: "x" } } }, "key:volume.driver_opts.mount"],
  ["volumes", { v: { driver_opts: "x" } }, "key:volume.driver_opts"],
  ["configs", { c: { file: "/etc/passwd" } }, "configs.file:/etc/passwd"],
  ["configs", { c: { template_driver: "x" } }, "key:config.template_driver"],
  ["secrets", { s: { file: "/etc/shadow" } }, "secrets.file:/etc/shadow"],
  ["secrets", { s: { file: "/d/state.json" } }, "bind_missing:/d/state.json"],
  ["secrets", { s: { file: "/d/releases/other/.env" } }, "secrets.file:/d/releases/other/.env"],
  ["secrets", { s: { file: `${ROOT}/.env` } }, `bind_missing:${ROOT}/.env`],
  ["secrets", { s: { file: `${ROOT}/absent` } }, "bind_missing:absent"],
  ["secrets", { s: { driver: "vault" } }, "key:secret.driver"],
  ["models", { m: { model: "x" } }, "models"],
  ["plugins", {}, "key:compose.plugins"],
];

for (const [key, value, ...findings] of DENIED_TOP) {
  Deno.test(`denied: top-level ${key}: ${JSON.stringify(value)}`, () => {
    assertEquals(judged(web({}, { [key]: value })), findings);
  });
}

Deno.test("denied: a model of no known shape", () => {
  for (const resolved of [null, [], "x", { services: [] }, { services: { web: "x" } }]) {
    const names = resolved === null ? ["x"] : judged(resolved);
    assertEquals(names.length, 1, JSON.stringify(resolved));
  }
});

Deno.test("allowed: what stays inside the container", () => {
  const model = web(
    {
      command: null,
      entrypoint: null,
      attach: false,
      privileged: false,
      cap_add: ["CAP_CHOWN", "net_bind_service"],
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges", "no-new-privileges:true", "no-new-privileges=true"],
      sysctls: { "net.core.somaxconn": "1024", "net/ipv4/tcp_syncookies": "1" },
      network_mode: "service:db",
      ipc: "shareable",
      pid: "service:db",
      cgroup: "private",
      runtime: "runc",
      oom_score_adj: 500,
      devices: [],
      blkio_config: { weight: 300 },
      logging: { driver: "json-file", options: { "max-size": "10m" } },
      storage_opt: { size: "1G" },
      tmpfs: ["/run:size=1m"],
      ulimits: { nofile: { soft: 1, hard: 2 } },
      post_start: [{ command: ["x"], user: "root" }],
      volumes_from: ["db:ro"],
      ports: [{ target: 80, published: "8080", mode: "ingress", protocol: "tcp", host_ip: "::1" }],
      deploy: { replicas: 2, resources: { limits: { cpus: 1, memory: "1", pids: 5 } } },
      "x-anything": { privileged: true },
      volumes: [
        { type: "volume", source: "v", target: "/v", volume: { nocopy: true } },
        { type: "tmpfs", target: "/t", tmpfs: { size: "1" } },
        bind(`${ROOT}/conf/nginx.conf`, { read_only: true }),
        bind(ROOT),
        bind("/d/project/conf"),
      ],
    },
    {
      "x-top": 1,
      networks: {
        default: {
          name: "p_default",
          ipam: { config: [{ subnet: "172.30.0.0/16", gateway: "172.30.0.1" }] },
        },
        six: { driver: "bridge", ipam: { config: [{ subnet: "fd00:1::/64" }] } },
        other: { name: "other", external: true },
      },
      volumes: {
        v: { name: "p_v" },
        t: {
          driver: "local",
          driver_opts: { type: "tmpfs", o: "size=10m,uid=5", device: "tmpfs" },
        },
        b: { driver_opts: { type: "none", o: "bind,ro", device: `${ROOT}/data` } },
      },
      configs: { c: { content: "x" }, e: { environment: "E" }, f: { file: `${ROOT}/f` } },
      secrets: { s: { file: `${ROOT}/s` } },
    },
  );
  assertEquals(judged(model), []);
});
