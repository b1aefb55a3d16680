import { assertEquals } from "@std/assert";
import { parseConfig } from "../../src/config/parse.ts";
import {
  bridgeSockets,
  composeCandidates,
  minimalPermissions,
  type Permissions,
  permissionsOf,
  toFlags,
  toJson,
  toSystemd,
} from "../../src/core/permissions.ts";
import type { Config } from "../../src/model/config.ts";

const CONFIG_PATH = "/etc/monky-deployd/config.yaml";

function configOf(more: string): Config {
  return parseConfig(`env_id: env-qa-02\nsite: cbs\n${more}`).config;
}

function of(more: string): Permissions {
  return permissionsOf(configOf(more), { configPath: CONFIG_PATH });
}

const PLUGINS = [
  "/usr/lib/docker/cli-plugins/docker-compose",
  "/usr/libexec/docker/cli-plugins/docker-compose",
  "/usr/local/lib/docker/cli-plugins/docker-compose",
  "/usr/local/libexec/docker/cli-plugins/docker-compose",
];
const LIFELINE = "unix:/var/lib/monky-deployd/.run/compose.sock";
const ALWAYS: Permissions = {
  net: [LIFELINE, "unix:/var/run/docker.sock"],
  read: [
    "/etc/monky-deployd/bootstrap.jwt",
    CONFIG_PATH,
    ...PLUGINS,
    "/var/lib/docker",
    "/var/lib/monky-deployd",
    "/var/run/docker.sock",
  ],
  write: ["/etc/monky-deployd/bootstrap.jwt", "/var/lib/monky-deployd", "/var/run/docker.sock"],
  run: PLUGINS,
  env: [],
  sys: ["statfs"],
};

const TABLE: readonly (readonly [string, string, Permissions])[] = [
  ["proxy dials its two local addresses", "transport: proxy", {
    ...ALWAYS,
    net: ["127.0.0.1:18200", "127.0.0.1:18443", LIFELINE, "unix:/var/run/docker.sock"],
  }],
  ["proxy dials what proxy_addr says", "transport: proxy\nbao: {proxy_addr: '[::1]:8'}", {
    ...ALWAYS,
    net: ["127.0.0.1:18443", "[::1]:8", LIFELINE, "unix:/var/run/docker.sock"],
  }],
  ["system dials the two names", "transport: system\nbao: {addr: 'https://bao.example'}", {
    ...ALWAYS,
    net: ["bao.example:443", "monky.tenancy.deploy:443", LIFELINE, "unix:/var/run/docker.sock"],
    denyNet: [
      "0.0.0.0/2",
      "64.0.0.0/3",
      "96.0.0.0/6",
      "100.0.0.0/10",
      "100.128.0.0/9",
      "101.0.0.0/8",
      "102.0.0.0/7",
      "104.0.0.0/5",
      "112.0.0.0/4",
      "128.0.0.0/1",
    ],
  }],
  ["sdk dials the bridge's sockets, runs Node and reads the identity", "transport: sdk", {
    ...ALWAYS,
    net: [
      "unix:/var/lib/monky-deployd/.run/bao.sock",
      LIFELINE,
      "unix:/var/lib/monky-deployd/.run/tenancy.sock",
      "unix:/var/run/docker.sock",
    ],
    read: [
      ...ALWAYS.read,
      "/opt/openziti/etc/identities/monky-host.env-qa-02.json",
      "/usr/lib/monky-deployd/ziti-bridge/bridge.cjs",
    ].sort(),
    run: [...PLUGINS, "node"],
  }],
  [
    "every path that the config names is granted, and only as the agent uses it",
    `transport: proxy
bootstrap_file: /kit/grant
state_dir: /data/state
deploy_dir: /srv/monky
metrics_textfile: /var/lib/node_exporter/monky.prom
docker: {compose: /opt/docker-compose, host: "unix:///run/d.sock", data_root: /home/docker-data}
bao: {ca: /etc/ca.pem}
tenancy: {bundle_keys: [/etc/keys.pem]}
policy: {bind_allow: [/srv/shared]}
`,
    {
      net: [
        "127.0.0.1:18200",
        "127.0.0.1:18443",
        "unix:/data/state/.run/compose.sock",
        "unix:/run/d.sock",
      ],
      read: [
        "/data/state",
        "/etc/ca.pem",
        "/etc/keys.pem",
        CONFIG_PATH,
        "/home/docker-data",
        "/kit/grant",
        "/opt/docker-compose",
        "/run/d.sock",
        "/srv/monky",
        "/srv/shared",
        "/var/lib/node_exporter/.monky.prom.monky-deployd",
        "/var/lib/node_exporter/monky.prom",
      ],
      write: [
        "/data/state",
        "/kit/grant",
        "/run/d.sock",
        "/srv/monky",
        "/var/lib/node_exporter/.monky.prom.monky-deployd",
        "/var/lib/node_exporter/monky.prom",
      ],
      run: ["/opt/docker-compose"],
      env: [],
      sys: ["statfs"],
    },
  ],
];

for (const [what, more, permissions] of TABLE) {
  Deno.test(what, () => assertEquals(of(more), permissions));
}

Deno.test("a wrong config or none lets the agent read the config and nothing else", () => {
  assertEquals(minimalPermissions({ configPath: "/c" }), {
    net: [],
    read: ["/c"],
    write: [],
    run: [],
    env: [],
    sys: [],
  });
});

Deno.test("case 63: from source and as a package, no flags leave room for a question or an import", () => {
  const minimal = minimalPermissions({ configPath: "/c" });
  assertEquals(toFlags(minimal, "source"), [
    "--no-prompt",
    "--no-remote",
    "--cached-only",
    "--allow-read=/c",
  ]);
  assertEquals(toFlags(minimal, "package"), [
    "--no-prompt",
    "--no-remote",
    "--cached-only",
    "--no-npm",
    "--no-config",
    "--no-lock",
    "--v8-flags=--no-lazy,--no-sparkplug,--invocation-count-for-maglev=2000," +
    "--min-semi-space-size=2,--max-semi-space-size=2,--single-threaded",
    "--allow-read=/c",
  ]);
});

Deno.test("each kind of grant is one flag, and an empty kind none", () => {
  assertEquals(toFlags(of("transport: proxy\ndocker: {compose: /c}"), "source").slice(3), [
    `--allow-net=127.0.0.1:18200,127.0.0.1:18443,${LIFELINE},unix:/var/run/docker.sock`,
    "--allow-read=/c,/etc/monky-deployd/bootstrap.jwt,/etc/monky-deployd/config.yaml," +
    "/var/lib/docker,/var/lib/monky-deployd,/var/run/docker.sock",
    "--allow-write=/etc/monky-deployd/bootstrap.jwt,/var/lib/monky-deployd,/var/run/docker.sock",
    "--allow-run=/c",
    "--allow-sys=statfs",
  ]);
});

Deno.test("no transport is granted everything of any kind", () => {
  for (const transport of ["sdk", "proxy", "system"]) {
    for (const flag of toFlags(of(`transport: ${transport}`), "source")) {
      assertEquals(
        /^--allow-[a-z]+$|^-A|--allow-all|--allow-ffi|--allow-import/.test(flag),
        false,
        flag,
      );
    }
  }
});

Deno.test("the systemd drop-in opens folders, never the root, and quotes what systemd would read", () => {
  assertEquals(
    toSystemd(configOf("")),
    "[Service]\nReadWritePaths=-/etc/monky-deployd\nReadWritePaths=-/var/lib/monky-deployd\n",
  );
  assertEquals(
    toSystemd(configOf(
      `state_dir: '/data/50% "x" y'\nbootstrap_file: /b.jwt\nmetrics_textfile: /m/x.prom\n` +
        "deploy_dir: /d",
    )),
    '[Service]\nReadWritePaths=-/d\nReadWritePaths=-"/data/50%% \\"x\\" y"\nReadWritePaths=-/m\n',
  );
});

Deno.test("JSON holds the same lists", () => {
  const permissions = of("transport: proxy");
  assertEquals(JSON.parse(toJson(permissions)), permissions);
});

Deno.test("a denial is a flag of its own", () => {
  assertEquals(
    toFlags(of("transport: system\nsystem: {ip_range: 128.0.0.0/8}"), "source").at(-1),
    "--deny-net=0.0.0.0/1,129.0.0.0/8,130.0.0.0/7,132.0.0.0/6,136.0.0.0/5,144.0.0.0/4,160.0.0.0/3," +
      "192.0.0.0/2",
  );
});

Deno.test("the plugin is looked for where docker does, unless the config names it", () => {
  assertEquals(
    composeCandidates(configOf(""))[0],
    "/usr/local/lib/docker/cli-plugins/docker-compose",
  );
  assertEquals(composeCandidates(configOf("docker: {compose: /x/docker-compose}")), [
    "/x/docker-compose",
  ]);
});

Deno.test("the bridge's sockets lie in state_dir, in a folder that no environment is called", () => {
  assertEquals(bridgeSockets(configOf("state_dir: /s")), {
    folder: "/s/.run",
    tenancy: "/s/.run/tenancy.sock",
    bao: "/s/.run/bao.sock",
  });
});

Deno.test("the doctor gets nothing for bundles and metrics, which it does not look at", () => {
  const more = "transport: proxy\n";
  const paths = "policy: {bind_allow: [/srv]}\nmetrics_textfile: /m/x.prom\n";
  const doctor = (text: string): Permissions =>
    permissionsOf(configOf(text), { configPath: CONFIG_PATH, of: "doctor" });
  assertEquals(doctor(more + paths), doctor(more));
});

Deno.test("the doctor may look at more than a tick, and write nothing but to sockets", () => {
  const doctor = (more: string): Permissions =>
    permissionsOf(configOf(more), { configPath: CONFIG_PATH, of: "doctor" });
  const proxy = doctor("transport: proxy");
  const tick = of("transport: proxy");
  assertEquals(proxy.net, [
    "127.0.0.1:18200",
    "127.0.0.1:18443",
    "127.0.0.2:18200",
    "127.0.0.2:18443",
    "unix:/var/run/docker.sock",
  ]);
  assertEquals(proxy.run, ["/usr/bin/systemctl", ...tick.run].sort());
  assertEquals([proxy.read, proxy.env], [tick.read, tick.env]);
  assertEquals([proxy.write, proxy.sys], [["/var/run/docker.sock"], ["statfs", "uid"]]);
  const sdk = doctor("transport: sdk");
  assertEquals(sdk.run.includes("/usr/bin/getfacl"), true);
  assertEquals(sdk.write, ["/var/lib/monky-deployd/.run", "/var/run/docker.sock"]);
  const system = doctor("transport: system");
  assertEquals([system.denyNet, system.net.length], [of("transport: system").denyNet, 3]);
});
