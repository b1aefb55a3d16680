import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseConfig, readConfig } from "../../src/config/parse.ts";
import { problemLine } from "../../src/config/problem.ts";
import { AgentError } from "../../src/errors.ts";

const BASE = "env_id: env-qa-02\nsite: cbs\n";

function linesOf(text: string): readonly string[] {
  const reading = readConfig(text);
  return "problems" in reading ? reading.problems.map(problemLine) : [];
}

const NAME = "1 to 63 characters of a-z, 0-9 and -, the first a letter or digit";

Deno.test("every problem is told at once, in the order of the file, missing keys last", () => {
  assertEquals(linesOf("env_id: ENV\ntransport: x\nbogus: 1\ntenancy: {port: a}\n"), [
    `env_id: "ENV" does not fit; allowed: ${NAME}`,
    'transport: "x" is unknown; allowed: sdk, proxy, system',
    "bogus: unknown key; docs/CONFIG.md lists them all",
    "tenancy.port: found text; allowed: a whole number from 1 to 65535",
    `site: is missing; allowed: ${NAME}`,
  ]);
});

Deno.test("parseConfig throws CONFIG_INVALID with one problem a line", () => {
  const error = assertThrows(() => parseConfig("env_id: e\nbogus: 1\n"), AgentError);
  assertEquals(error.code, "CONFIG_INVALID");
  assertEquals(
    error.message,
    "the config has 2 problems:\n" +
      "  bogus: unknown key; docs/CONFIG.md lists them all\n" +
      `  site: is missing; allowed: ${NAME}`,
  );
});

Deno.test("a file of a thousand unknown keys is told about in a hundred lines", () => {
  const text = BASE + Array.from({ length: 1000 }, (_, n) => `zz${n}: 1\n`).join("");
  const error = assertThrows(() => parseConfig(text), AgentError);
  assertEquals(error.message.split("\n").length, 102);
  assertStringIncludes(error.message, "  and 900 more");
  // Looking for the nearest key of each would cost seconds in a full file.
  assertEquals(linesOf(text).at(-1), "zz999: unknown key");
});

Deno.test("a password in a URL is not repeated in the problem", () => {
  for (
    const text of [
      "tenancy: {base_url: 'http://u:hunter2@h'}",
      "bao: {addr: 'https://u:hunter2@h'}",
    ]
  ) {
    assertEquals(linesOf(BASE + text).join("").includes("hunter2"), false);
  }
});

Deno.test("two keys are enough, and the rest are the documented defaults", () => {
  const { config } = parseConfig(BASE);
  assertEquals(config, {
    envId: "env-qa-02",
    site: "cbs",
    transport: "sdk",
    identity: "/opt/openziti/etc/identities/monky-host.env-qa-02.json",
    bootstrapFile: "/etc/monky-deployd/bootstrap.jwt",
    intervalS: 60,
    laptopMode: false,
    tenancy: {
      service: "monky.tenancy.deploy",
      host: "monky.tenancy.deploy",
      port: 443,
      scheme: "http",
      proxyAddr: { host: "127.0.0.1", port: 18443 },
      timeoutS: 30,
      bundleKeys: [],
    },
    bao: {
      service: "openbao",
      host: "bao.cbs.tikali.net",
      port: 8200,
      proxyAddr: { host: "127.0.0.1", port: 18200 },
      authMount: "jwt-tenancy",
      role: "see-env",
      kvMount: "monky",
      kvPrefix: "see",
      ca: null,
      renewBelowS: 21600,
      timeoutS: 30,
    },
    deployDir: "/var/lib/monky-deployd/env-qa-02",
    composeProject: "monky-env-qa-02",
    stateDir: "/var/lib/monky-deployd",
    docker: {
      compose: null,
      socket: "/var/run/docker.sock",
      dataRoot: "/var/lib/docker",
      diskFactor: 1.5,
      diskHeadroomBytes: 2147483648,
    },
    volumesOnAbsent: "keep",
    onFailure: "leave",
    releasesKept: 3,
    timeouts: { fetchS: 60, secretsS: 60, validateS: 30, pullS: 1800, upS: 600, downS: 300 },
    healthTimeoutS: 120,
    settleS: 5,
    system: { ipRange: "100.64.0.0/10" },
    sdk: { node: "node", bridge: "/usr/lib/monky-deployd/ziti-bridge/bridge.cjs" },
    policy: { bindAllow: [], registries: [], requireDigest: false, allow: [] },
    metricsTextfile: null,
  });
});

/** The keys that the predecessor's kit and role wrote. */
const KIT_0_1_6 = `\
env_id: env-qa-02
site: cbs
transport: sdk
identity: /opt/openziti/etc/identities/monky-host.env-qa-02.json
bootstrap_file: /etc/monky-deployd/bootstrap.jwt
tenancy:
  service: monky.tenancy.deploy
  base_url: http://monky.tenancy.deploy:443
  host: ""
  proxy_addr: 127.0.0.1:18443
  timeout_s: 30
bao:
  service: openbao
  addr: https://bao.cbs.tikali.net:8200   # intercept, not public DNS
  auth_mount: jwt-tenancy
  role: see-env
  ca: ""
  renew_below_s: 21600
docker:
  data_root: /home/docker-data/
  disk_factor: 1.5
  disk_headroom_bytes: 2147483648
interval_s: 60
laptop_mode: false
volumes_on_absent: keep
`;

Deno.test("a config of 0.1.6 is read as it is, empty optional keys included", () => {
  const { config, sources } = parseConfig(KIT_0_1_6);
  assertEquals(config.tenancy.host, "monky.tenancy.deploy");
  assertEquals(config.tenancy.port, 443);
  assertEquals(config.bao.ca, null);
  assertEquals(config.docker.dataRoot, "/home/docker-data");
  assertEquals(sources.get("tenancy.host"), "derived");
});

Deno.test("each value knows whether it was written, is a default or was derived", () => {
  const { sources, effective } = parseConfig(
    `${BASE}state_dir: /data/state/\ntenancy: {base_url: "https://T.example:8443/"}\n`,
  );
  assertEquals(sources.get("state_dir"), "file");
  assertEquals(effective.get("state_dir"), "/data/state");
  assertEquals(sources.get("interval_s"), "default");
  assertEquals(effective.get("deploy_dir"), "/data/state/env-qa-02");
  assertEquals(sources.get("deploy_dir"), "derived");
  assertEquals(effective.get("tenancy.scheme"), "https");
  assertEquals(effective.get("tenancy.host"), "t.example");
  assertEquals(effective.get("tenancy.port"), "8443");
  assertEquals(sources.get("tenancy.port"), "derived");
  assertEquals(sources.size, effective.size);
});

Deno.test("base_url and the keys it stands for may both be given when they agree", () => {
  const text = "tenancy: {base_url: 'http://t.example:444', host: T.example, port: 444}\n";
  assertEquals(linesOf(BASE + text), []);
  const portless = parseConfig(`${BASE}tenancy: {base_url: "http://t.example", port: 444}\n`);
  assertEquals(portless.config.tenancy.port, 444);
  assertEquals(portless.effective.get("tenancy.base_url"), "http://t.example");
});

Deno.test("an https address without a port means 443", () => {
  assertEquals(parseConfig(`${BASE}bao: {addr: "https://bao.example"}\n`).config.bao.port, 443);
});

Deno.test("addresses may be IPv6 in brackets", () => {
  const { config, effective } = parseConfig(`${BASE}bao: {proxy_addr: "[::1]:18200"}\n`);
  assertEquals(config.bao.proxyAddr, { host: "::1", port: 18200 });
  assertEquals(effective.get("bao.proxy_addr"), "[::1]:18200");
});

Deno.test("a section whose keys are all commented out is an empty one", () => {
  assertEquals(linesOf(`${BASE}tenancy:\n  # port: 1\n`), []);
});

Deno.test("anchors and aliases are read", () => {
  const { config } = parseConfig(`${BASE}timeouts: {up_s: &t 700, pull_s: *t}\n`);
  assertEquals([config.timeouts.upS, config.timeouts.pullS], [700, 700]);
});

Deno.test("case 29: compose_project takes the names that compose takes, and no others", () => {
  const names = Deno.readTextFileSync(
    new URL("../cases/29-project-name/names.txt", import.meta.url),
  );
  for (const line of names.trimEnd().split("\n")) {
    const [given = "", verdict] = line.split(" ");
    // An empty name counts as none, and the default is a good one.
    if (given === "(empty)") continue;
    const problems = linesOf(`${BASE}compose_project: ${given}\n`);
    assertEquals(problems.length === 0 ? "accept" : "refuse", verdict, given);
  }
  const { config } = parseConfig(`${BASE}compose_project: ""\n`);
  assertEquals(config.composeProject, "monky-env-qa-02");
});
