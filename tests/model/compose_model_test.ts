import { assertEquals } from "@std/assert";
import type { ComposeService } from "../../src/model/compose_model.ts";
import { parseComposeModel } from "../../src/model/compose_model_parse.ts";
import { parseDuration } from "../../src/model/go_duration.ts";

/** Parses a file of one service. */
function serviceOf(service: Readonly<Record<string, unknown>>): ComposeService | undefined {
  return parseComposeModel({ name: "p", services: { web: service } })?.services[0];
}

Deno.test("a service that says nothing has compose's defaults", () => {
  assertEquals(serviceOf({ image: "a:1", command: null, networks: { default: null } }), {
    name: "web",
    image: "a:1",
    containerName: null,
    pullsAlways: false,
    pullsNever: false,
    replicas: 1,
    restart: "no",
    mayEnd: false,
    healthcheck: null,
    healthTest: "image",
    setsStartInterval: false,
    dependsOn: [],
    ports: [],
    mounts: [],
    configs: [],
    secrets: [],
    tiedTo: [],
    stopGraceMs: 10_000,
  });
});

Deno.test("replicas: deploy wins over scale, zero is zero", () => {
  assertEquals(serviceOf({ deploy: { replicas: 3 }, scale: 2 })?.replicas, 3);
  assertEquals(serviceOf({ scale: 2 })?.replicas, 2);
  assertEquals(serviceOf({ deploy: { replicas: 0 } })?.replicas, 0);
});

Deno.test("restart: the service's own word wins over deploy's", () => {
  const table: readonly [Readonly<Record<string, unknown>>, string][] = [
    [{ restart: "always" }, "always"],
    [{ restart: "on-failure:3" }, "on-failure"],
    [
      { restart: "unless-stopped", deploy: { restart_policy: { condition: "none" } } },
      "unless-stopped",
    ],
    [{ deploy: { restart_policy: { condition: "any" } } }, "always"],
    [{ deploy: { restart_policy: { condition: "on-failure" } } }, "on-failure"],
    [{ deploy: { restart_policy: { condition: "none" } } }, "no"],
    [{ restart: "no" }, "no"],
  ];
  for (const [service, restart] of table) assertEquals(serviceOf(service)?.restart, restart);
});

Deno.test("a service may end when it says so, and not when it says nothing", () => {
  const table: readonly [Readonly<Record<string, unknown>>, boolean][] = [
    [{ restart: "no" }, true],
    [{ deploy: { restart_policy: { condition: "none" } } }, true],
    [{ restart: "always", deploy: { restart_policy: { condition: "none" } } }, false],
    [{ restart: "on-failure" }, false],
    [{ deploy: { restart_policy: {} } }, false],
  ];
  for (const [service, mayEnd] of table) assertEquals(serviceOf(service)?.mayEnd, mayEnd);
});

Deno.test("healthcheck: its command is the file's, the image's, or none", () => {
  const table = [
    [{ test: ["CMD", "true"] }, "file"],
    [{ test: "true" }, "file"],
    [{ interval: "1s" }, "image"],
    [{ test: [] }, "image"],
    [{ test: ["NONE"] }, "none"],
    [{ test: "true", disable: true }, "none"],
  ] as const;
  for (const [healthcheck, expected] of table) {
    assertEquals(serviceOf({ healthcheck })?.healthTest, expected);
  }
});

Deno.test("healthcheck: given times count, missing ones are the Engine's, disabled is none", () => {
  const test = ["CMD", "true"];
  assertEquals(serviceOf({ healthcheck: { test } })?.healthcheck, {
    intervalMs: 30_000,
    timeoutMs: 30_000,
    retries: 3,
    startPeriodMs: 0,
    startIntervalMs: 5_000,
  });
  const times = {
    interval: "1m30s",
    timeout: "500ms",
    retries: 5,
    start_period: "1h0m0s",
    start_interval: "2s",
  };
  assertEquals(serviceOf({ healthcheck: { test, ...times } })?.healthcheck, {
    intervalMs: 90_000,
    timeoutMs: 500,
    retries: 5,
    startPeriodMs: 3_600_000,
    startIntervalMs: 2_000,
  });
  assertEquals(serviceOf({ healthcheck: { disable: true } })?.healthcheck, null);
  assertEquals(serviceOf({ healthcheck: { test: ["NONE"] } })?.healthcheck, null);
});

Deno.test("ports, mounts, ties and grace are read in the resolved form's shapes", () => {
  const service = serviceOf({
    ports: [
      { mode: "ingress", target: 80, published: "8080", protocol: "tcp", host_ip: "127.0.0.1" },
      { mode: "ingress", target: 53, published: "9000-9002", protocol: "udp" },
      { mode: "ingress", target: 81 },
    ],
    volumes: [
      { type: "bind", source: "/d/c", target: "/c", bind: { create_host_path: true } },
      { type: "volume", target: "/anonymous", volume: {} },
    ],
    network_mode: "service:base",
    ipc: "service:base",
    pid: "host",
    volumes_from: ["store:ro", "container:other"],
    stop_grace_period: "15s",
  });
  assertEquals(service?.ports.map((port) => port.published), [
    { first: 8080, last: 8080 },
    { first: 9000, last: 9002 },
    null,
  ]);
  assertEquals(service?.ports.map((port) => port.hostIp), ["127.0.0.1", null, null]);
  assertEquals(
    service?.mounts.map(({ type, source, createHostPath }) => [type, source, createHostPath]),
    [
      ["bind", "/d/c", true],
      ["volume", null, false],
    ],
  );
  assertEquals([service?.tiedTo, service?.stopGraceMs], [["base", "store"], 15_000]);
});

Deno.test("networks, volumes, configs and secrets tell where they come from", () => {
  const model = parseComposeModel({
    name: "p",
    services: {},
    networks: { default: { name: "p_default", ipam: {} }, edge: { name: "edge", external: true } },
    volumes: { data: { name: "p_data" } },
    configs: {
      a: { name: "p_a", file: "/d/a" },
      b: { name: "p_b", content: "text" },
      c: { name: "c", external: true },
    },
    secrets: { s: { name: "p_s", environment: "PW" } },
  });
  const free = { internal: false, ipv6: null, subnets: [], options: {} };
  assertEquals(model?.networks, [
    { key: "default", name: "p_default", external: false, ...free },
    { key: "edge", name: "edge", external: true, ...free },
  ]);
  assertEquals(model?.volumes, [{ key: "data", name: "p_data", external: false }]);
  assertEquals(model?.configs, [
    { key: "a", source: { kind: "file", path: "/d/a" } },
    { key: "b", source: { kind: "content", text: "text" } },
    { key: "c", source: { kind: "external", name: "c" } },
  ]);
  assertEquals(model?.secrets, [{ key: "s", source: { kind: "environment", variable: "PW" } }]);
});

Deno.test("anything else is no model", () => {
  for (
    const odd of [null, [], "x", {}, { name: 1 }, { name: "p", services: { a: { image: 5 } } }]
  ) {
    assertEquals(parseComposeModel(odd), null);
  }
  assertEquals(parseComposeModel({ name: "p", services: null })?.services, []);
});

Deno.test("durations are Go's", () => {
  const table: readonly [string, number | null][] = [
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["1h0m0.5s", 3_600_500],
    ["1ms", 1],
    ["250us", 0.25],
    ["0", 0],
    ["0s", 0],
    ["", null],
    ["5", null],
    ["5 s", null],
    ["s", null],
  ];
  for (const [text, ms] of table) assertEquals(parseDuration(text), ms, text);
});

Deno.test("field: a name of its own and an image that is always asked for are read", () => {
  const own = serviceOf({ image: "a:latest", container_name: "db", pull_policy: "always" });
  assertEquals([own?.containerName, own?.pullsAlways], ["db", true]);
  assertEquals(serviceOf({ image: "a", pull_policy: "missing" })?.pullsAlways, false);
});

Deno.test("a network tells what the Engine can be held to; an IPv6 subnet may be written in many ways", () => {
  const model = parseComposeModel({
    name: "p",
    networks: {
      n: {
        name: "p_n",
        internal: true,
        enable_ipv6: true,
        driver_opts: { "com.docker.network.driver.mtu": "1400", number: 1 },
        ipam: {
          config: [{ subnet: "172.31.1.0/24", gateway: "172.31.1.1" }, { subnet: "fd00::/64" }],
        },
      },
    },
  });
  assertEquals(model?.networks, [{
    key: "n",
    name: "p_n",
    external: false,
    internal: true,
    ipv6: true,
    subnets: ["172.31.1.0/24"],
    options: { "com.docker.network.driver.mtu": "1400", number: "1" },
  }]);
});
